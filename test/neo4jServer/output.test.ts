import { describe, expect, it } from '@jest/globals';
import { meaningfulLine } from '../../src/neo4jServer/launch.ts';
import { DownloadProgress, mavenError } from '../../src/neo4jServer/maven.ts';

describe('why Neo4j ended', () => {
  it('is the innermost cause of its last error', () => {
    const log = `2026-01-01 03:47:31.752+0000 INFO  Starting...
2026-01-01 03:47:33.874+0000 ERROR Failed to start Neo4j on 127.0.0.1:33691.
java.lang.RuntimeException: Error starting Neo4j database server
\tat org.neo4j.graphdb.facade.Startup.start(Startup.java:1)
Caused by: org.neo4j.LifecycleException: Component failed to start
\t... 5 more
Caused by: java.net.BindException: Address already in use
\tat java.base/sun.nio.ch.Net.bind(Net.java:2)
\t... 5 more
2026-01-01 03:47:33.876+0000 INFO  Stopped.
`;
    expect(meaningfulLine(log)).toBe('java.net.BindException: Address already in use');
  });

  it('is its last error when that has no cause', () => {
    const log = `2026-01-01 03:47:22.040+0000 ERROR Invalid memory configuration
2026-01-01 03:47:22.041+0000 INFO  Stopped.
`;
    expect(meaningfulLine(log)).toBe('Invalid memory configuration');
  });

  it('is what was thrown when nothing was logged', () => {
    const log = `Exception in thread "main" java.lang.IllegalArgumentException: Unrecognized setting.
\tat org.neo4j.configuration.Config.<init>(Config.java:672)
2026-01-01 03:46:22.108+0000 INFO  Stopped.
`;
    expect(meaningfulLine(log)).toBe('java.lang.IllegalArgumentException: Unrecognized setting.');
  });

  it('is the last word of Java when Neo4j had none', () => {
    expect(meaningfulLine('Error occurred during initialization of VM\nToo small maximum heap\n')).toBe(
      'Too small maximum heap',
    );
  });

  it('is nothing when nothing was written', () => {
    expect(meaningfulLine('\n')).toBeUndefined();
  });
});

describe("Maven's output", () => {
  it('is counted by files and megabytes, and told where there is more', () => {
    const progress = new DownloadProgress();
    expect(progress.news()).toBeUndefined();
    progress.read('[INFO] Downloading from central: https://example.org/a.jar');
    progress.read('[INFO] Downloaded from central: https://example.org/a.jar (6.7 MB at 29 MB/s)');
    progress.read('[INFO] Downloaded from central: https://example.org/b.pom (800 kB at 50 kB/s)');
    expect(progress.news()).toBe('2 files, 8 MB');
    expect(progress.news()).toBeUndefined();
  });

  it('gives an error without colour and without a pointer to its help', () => {
    expect(mavenError('[\u001b[1;31mERROR\u001b[m] Could not transfer a.jar -> \u001b[1m[Help 1]\u001b[m')).toBe(
      'Could not transfer a.jar.',
    );
    expect(mavenError('[INFO] BUILD SUCCESS')).toBeUndefined();
    expect(mavenError('[ERROR] ')).toBeUndefined();
  });
});
