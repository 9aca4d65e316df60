import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonLdDocument, Options } from 'jsonld';
import type { Quad } from 'n3';
import { StartupError } from '../../base/errors.ts';
import { quadsOf } from '../rdf/expandedJsonLd.ts';
import { UsageError } from '../terminal/exit.ts';
import { Faulty, type Pieces, Unreadable } from './faulty.ts';
import { type Document, jsonLdNodes } from './jsonLdNodes.ts';

/** The files that stand for contexts elsewhere, by the addresses of these. */
export type Contexts = ReadonlyMap<string, unknown>;

/**
 * Reads the contexts that a file may ask for: nothing is fetched because a file says so.
 * @param pairs `<address>=<file>` each
 * @throws UsageError, StartupError
 */
export async function readContexts(pairs: string[]): Promise<Contexts> {
  const contexts = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, address, file] = /^([^=]+:[^=]*)=(.+)$/.exec(pair) ?? [];
    if (address === undefined || file === undefined) {
      throw new UsageError(`--context takes the address of a context and a file that holds it, not '${pair}'.`);
    }
    try {
      contexts.set(address, JSON.parse(await readFile(file, 'utf8')));
    } catch (error) {
      throw new StartupError(`The context ${file}: ${(error as Error).message}`);
    }
  }
  return contexts;
}

/**
 * The statements of JSON-LD 1.1, node by node.
 * @param ignored told of each member of a node that no context defines: JSON-LD takes it for no statement
 */
export async function* readJsonLd(
  bytes: AsyncIterable<Uint8Array>,
  contexts: Contexts,
  ignored: (member: string) => void,
): Pieces<Quad> {
  const { default: jsonld } = await import('jsonld');
  const own = new SharedContext();
  let blanks = 0;
  // No label begins with a dot.
  const newLabel = () => `.${++blanks}`;
  const options: Options.Expand & { eventHandler(handled: { event: Event }): void } = {
    async documentLoader(address) {
      const document = own.at(address) ?? contexts.get(address);
      if (document === undefined) throw new UnknownContext(address);
      // With this tag it is processed once.
      return { documentUrl: address, document: document as never, tag: 'static' };
    },
    eventHandler({ event: { code, details } }) {
      if (code === 'invalid property') ignored(details.property ?? '');
    },
  };
  for await (const nodes of jsonLdNodes(bytes)) {
    for (const node of nodes) {
      if (node instanceof Faulty) {
        yield [node];
        continue;
      }
      const { line, value } = node;
      try {
        const expanded: unknown[] = await jsonld.expand(own.named(value) as JsonLdDocument, options);
        yield quadsOf(expanded, newLabel).map((quad) => ({ line, value: quad }));
      } catch (error) {
        const unknown = unknownContext(error);
        if (unknown !== undefined) throw new Unreadable(new Faulty(line, unknown.message).message);
        yield [new Faulty(line, reasonOf(error as Error))];
      }
    }
  }
}

/**
 * The context that the nodes of a graph share: by an address of its own it is processed once, and not once a node,
 * which takes milliseconds of a large one.
 */
class SharedContext {
  private context: unknown;
  private address: string | undefined;

  named(document: Document): Document {
    const { '@context': context } = document;
    if (context !== this.context) {
      this.context = context;
      this.address = typeof context === 'object' ? `urn:uuid:${randomUUID()}` : undefined;
    }
    return this.address === undefined ? document : { ...document, '@context': this.address };
  }

  at(address: string): Document | undefined {
    return address === this.address ? { '@context': this.context } : undefined;
  }
}

interface Event {
  code: string;
  details: { property?: string };
}

class UnknownContext extends Error {
  constructor(address: string) {
    super(
      `asks for the context ${address}, and nothing is fetched because a file says so: --context ${address}=<file> ` +
        'gives it, or it stands in the file itself',
    );
  }
}

function unknownContext(error: unknown): UnknownContext | undefined {
  for (let at: unknown = error; at instanceof Error; at = (at as { details?: { cause?: unknown } }).details?.cause) {
    if (at instanceof UnknownContext) return at;
  }
  return undefined;
}

/** Of a fault of the syntax, its code in the specification stands in the details. */
function reasonOf({ message, details }: Error & { details?: { code?: string } }): string {
  return details?.code === undefined ? message : `${details.code}: ${message}`;
}
