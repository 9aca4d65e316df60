import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { StartupError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import { CertificateFiles } from '../../src/security/certificateFiles.ts';
import { eventually } from '../a2a/testService.ts';
import { makeCertificate } from '../support/certificates.ts';
import { useFolder } from '../support/setUp.ts';

const folder = useFolder({ text: 'no PEM at all' });
const file = (name: string) => join(folder, name);
const lines: { msg: string; reason?: string }[] = [];
const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

beforeAll(() => {
  for (const name of ['one', 'two']) makeCertificate(folder, name);
});

let files: CertificateFiles | undefined;
afterEach(async () => {
  await files?.close();
  lines.length = 0;
});

/** Puts a certificate where it is read from, as `current`. */
function place(cert: string, key = cert): void {
  copyFileSync(file(`${key}.key`), file('current.key'));
  copyFileSync(file(`${cert}.crt`), file('current.crt'));
}
const open = (cert = 'current.crt', key = 'current.key') =>
  CertificateFiles.open({ TLS_CERT_FILE: file(cert), TLS_KEY_FILE: file(key) }, logger, 50);
const text = (name: string) => readFileSync(file(name), 'utf8');
/** Longer than two looks at the files. */
const twoLooks = () => new Promise((resolve) => setTimeout(resolve, 250));

test.each([
  ['no certificate there', 'nowhere', 'one.key', 'TLS_CERT_FILE cannot be read: ENOENT'],
  ['no key there', 'one.crt', 'nowhere', 'TLS_KEY_FILE cannot be read: ENOENT'],
  ['a certificate that is none', 'text', 'one.key', 'TLS_CERT_FILE holds no certificate'],
  ['a key that is none', 'one.crt', 'text', 'TLS_KEY_FILE holds no private key'],
  ['the two exchanged', 'one.key', 'one.crt', 'TLS_CERT_FILE holds no certificate'],
  ['the key of another', 'one.crt', 'two.key', 'TLS_KEY_FILE is not that of the certificate'],
])('%s: the start says so', async (_, cert, key, says) => {
  await expect(open(cert, key)).rejects.toThrow(StartupError);
  await expect(open(cert, key)).rejects.toThrow(says);
});

test('one setting without the other is a wrong setting, and none is no TLS', async () => {
  expect(() => readConfig({ TLS_CERT_FILE: 'a.crt' })).toThrow('TLS_CERT_FILE: and TLS_KEY_FILE are set together');
  expect(() => readConfig({ TLS_KEY_FILE: 'a.key' })).toThrow('set together');
  expect(await CertificateFiles.open({}, logger)).toBeUndefined();
});

test('what is replaced is told once; what is broken changes nothing and is logged once', async () => {
  place('one');
  files = await open();
  const told: string[] = [];
  files?.onChange(({ cert }) => told.push(cert));
  place('two', 'one');
  await twoLooks();
  await twoLooks();
  expect(lines.map(({ reason }) => reason)).toEqual([expect.stringContaining('is not that of the certificate')]);
  writeFileSync(file('current.crt'), text('two.crt').slice(0, 200));
  await twoLooks();
  rmSync(file('current.key'));
  await twoLooks();
  expect([lines.length, files?.current.cert, told]).toEqual([3, text('one.crt'), []]);
  expect(JSON.stringify(lines)).not.toContain('PRIVATE');
  // What is in use comes back: nothing has changed.
  place('one');
  await twoLooks();
  expect([lines.length, told]).toEqual([3, []]);
  place('two');
  await eventually(() => told.length > 0);
  expect([told, files?.current.cert]).toEqual([[text('two.crt')], text('two.crt')]);
  place('one');
  await eventually(() => told.length > 1);
});
