import { isUtf8 } from 'node:buffer';
import { Faulty, type Located, Unreadable } from './faulty.ts';

/** A JSON-LD document, or a piece of one that says by itself what it said there. */
export type Document = Record<string, unknown>;

/** Bytes of a node, or of all that stands beside the nodes. */
const longest = 16 * 1024 * 1024;
/** Arrays and objects within each other. */
const deepest = 100;

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash, comma, newline] = [code('"'), code('\\'), code(','), code('\n')];
const opening = new Set([code('['), code('{')]);
const closing = new Set([code(']'), code('}')]);
const blank = new Set([code(' '), code('\t'), code('\r'), newline]);

/**
 * Cuts a JSON-LD document of any size into its nodes: the elements of an array, or of the `@graph` of an object, each
 * with the `@context` and the `@id` that stand beside it. An object without one is a node itself.
 * @throws Unreadable where it isn't JSON, or nothing behind that place could be understood
 */
export async function* jsonLdNodes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<(Located<Document> | Faulty)[]> {
  const cutter = new Cutter();
  for await (const chunk of bytes) {
    cutter.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    const nodes = cutter.nodes();
    if (nodes.length > 0) yield nodes;
  }
  cutter.end();
  yield cutter.nodes();
}

/** JSON text and the line that it begins on. */
type Text = Located<string>;

class Cutter {
  private line = 1;
  private depth = 0;
  private isText = false;
  private isEscaped = false;
  /** What the document is. */
  private kind: 'array' | 'object' | undefined;
  private isOver = false;
  /** Whether it is in the `@graph` of an object. */
  private isGraph = false;
  /** The piece that is being read: a node, or a member of an object. */
  private piece: Buffer[] = [];
  private pieceLength = 0;
  private pieceLine = 0;
  private readonly ready: (Located<Document> | Faulty)[] = [];
  private object: ObjectDocument | undefined;

  take(chunk: Buffer): void {
    let from = 0;
    const keep = (to: number) => this.keep(chunk.subarray(from, to));
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === newline) this.line += 1;
      if (this.isText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === backslash) this.isEscaped = true;
        else if (byte === quote) this.isText = false;
        continue;
      }
      if (blank.has(byte)) continue;
      if (this.depth === 0) {
        this.begin(byte);
        from = at + 1;
        continue;
      }
      const isEdge = this.depth === (this.isGraph ? 2 : 1);
      if (isEdge && (byte === comma || closing.has(byte))) {
        keep(at);
        from = at + 1;
        this.cut();
        if (byte !== comma) this.close(byte);
        continue;
      }
      if (this.pieceLine === 0) {
        this.pieceLine = this.line;
        from = at;
      }
      if (byte === quote) this.isText = true;
      else if (opening.has(byte)) {
        if (isEdge && !this.isGraph && this.kind === 'object' && byte === code('[')) {
          keep(at);
          from = at;
          if (this.opensGraph()) from = at + 1;
        }
        this.depth += 1;
        if (this.depth > deepest) throw ending(this.line, `has more than ${deepest} arrays and objects in each other`);
      } else if (closing.has(byte)) this.depth -= 1;
    }
    if (this.pieceLine !== 0) keep(chunk.length);
  }

  /** What has been cut off so far. */
  nodes(): (Located<Document> | Faulty)[] {
    return this.ready.splice(0);
  }

  end(): void {
    if (this.isOver) return;
    throw ending(this.line, this.kind === undefined ? 'here is no JSON' : 'the document ends in the middle');
  }

  private begin(byte: number): void {
    if (this.isOver) throw ending(this.line, 'stands behind the end of the document');
    // A byte order mark.
    if (byte === 0xef || byte === 0xbb || byte === 0xbf) return;
    if (!opening.has(byte)) throw ending(this.line, 'a JSON-LD document is an object or an array');
    this.kind = byte === code('[') ? 'array' : 'object';
    if (this.kind === 'object') this.object = new ObjectDocument(this.line, this.ready);
    this.depth = 1;
  }

  private keep(part: Buffer): void {
    // The chunk may be used again by whoever reads.
    this.piece.push(Buffer.from(part));
    this.pieceLength += part.length;
    if (this.pieceLength > longest) throw ending(this.pieceLine, `a node here is longer than ${longest} bytes`);
  }

  /** The piece is whole. */
  private cut(): void {
    if (this.pieceLine === 0) return;
    const text = this.taken();
    if (this.object === undefined) this.ready.push(parsed(text));
    else if (this.isGraph) this.object.takeNode(text);
    else this.object.takeMember(text);
  }

  private taken(): Text | Faulty {
    const bytes = Buffer.concat(this.piece);
    const line = this.pieceLine;
    [this.piece, this.pieceLength, this.pieceLine] = [[], 0, 0];
    return isUtf8(bytes) ? { line, value: bytes.toString() } : new Faulty(line, 'is not UTF-8');
  }

  /** Whether what stands before a `[` is the name of an object's `@graph`; then its elements are cut. */
  private opensGraph(): boolean {
    const name = Buffer.concat(this.piece).toString();
    if (!/^"@graph"\s*:\s*$/.test(name)) return false;
    this.taken();
    this.object?.beginGraph(this.line);
    this.isGraph = true;
    return true;
  }

  private close(byte: number): void {
    const isArray = this.isGraph || this.kind === 'array';
    if (byte !== code(isArray ? ']' : '}')) throw ending(this.line, `a ${isArray ? ']' : '}'} is missing`);
    this.depth -= 1;
    if (this.isGraph) {
      this.isGraph = false;
      return;
    }
    this.object?.end();
    this.isOver = true;
  }
}

/** What is not for the nodes of `@graph` to have, but of the graph. */
const shared = new Set(['@context', '@id']);

/**
 * An object, whose nodes wait until it is known what stands beside them: the members of an object have no order. A
 * larger one can't wait for its end.
 */
class ObjectDocument {
  hasGraph = false;
  private readonly members: Text[] = [];
  private membersLength = 0;
  private waiting: Text[] | undefined = [];
  private waitingLength = 0;
  private head: Document = {};

  constructor(
    private readonly line: number,
    private readonly ready: (Located<Document> | Faulty)[],
  ) {}

  beginGraph(line: number): void {
    if (this.hasGraph) throw ending(line, 'a second @graph');
    this.hasGraph = true;
  }

  takeMember(text: Text | Faulty): void {
    if (text instanceof Faulty) throw new Unreadable(text.message);
    if (this.waiting === undefined) {
      throw ending(text.line, `in an object of this size, this has to stand before its "@graph"`);
    }
    this.members.push(text);
    this.membersLength += text.value.length;
    if (this.membersLength > longest) {
      throw ending(text.line, `a node here is longer than ${longest} characters`);
    }
  }

  takeNode(text: Text | Faulty): void {
    if (text instanceof Faulty) this.ready.push(text);
    else if (this.waiting === undefined) this.ready.push(this.inGraph(text));
    else {
      this.waiting.push(text);
      this.waitingLength += text.value.length;
      if (this.waitingLength > longest) this.open();
    }
  }

  end(): void {
    if (this.waiting === undefined) return;
    const [head, others] = this.sorted();
    if (this.hasGraph && (Object.keys(others).length === 0 || '@id' in head)) this.open();
    // A graph that has no name, of which something is said: its nodes can't be told apart.
    else this.ready.push({ line: this.line, value: this.whole() });
  }

  /** From now on each node goes on alone. */
  private open(): void {
    const [head, others] = this.sorted();
    this.head = head;
    if (Object.keys(others).length > 0) {
      if (!('@id' in head)) {
        throw ending(this.line, 'a graph of this size of which something is said needs an "@id" before it');
      }
      this.ready.push({ line: this.line, value: { ...head, ...others } });
    }
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const text of waiting) this.ready.push(this.inGraph(text));
  }

  private inGraph(text: Text): Located<Document> | Faulty {
    const node = parsed(text);
    return node instanceof Faulty ? node : { line: text.line, value: { ...this.head, '@graph': [node.value] } };
  }

  private whole(): Document {
    const nodes = (this.waiting ?? []).map((text) => sound(text));
    return { ...this.read(), ...(this.hasGraph && { '@graph': nodes }) };
  }

  /** @returns what its nodes share, and what is said of the graph */
  private sorted(): [Document, Document] {
    const all = Object.entries(this.read());
    return [
      Object.fromEntries(all.filter(([name]) => shared.has(name))),
      Object.fromEntries(all.filter(([name]) => !shared.has(name))),
    ];
  }

  private read(): Document {
    return Object.fromEntries(
      this.members.flatMap(({ line, value }) => Object.entries(sound({ line, value: `{${value}}` }))),
    );
  }
}

/** @throws Unreadable */
function sound(text: Text): Document {
  const read = parsed(text);
  if (read instanceof Faulty) throw new Unreadable(read.message);
  return read.value;
}

/** A fault behind which nothing can be read: it can't be left out. */
function ending(line: number, reason: string): Unreadable {
  return new Unreadable(new Faulty(line, reason).message);
}

function parsed(text: Text | Faulty): Located<Document> | Faulty {
  if (text instanceof Faulty) return text;
  const { line, value } = text;
  try {
    const read: unknown = JSON.parse(value);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { line, value: read as Document };
    return new Faulty(line, 'a node is a JSON object');
  } catch (error) {
    const { message } = error as Error;
    const at = Number(/at position (\d+)/.exec(message)?.[1] ?? 0);
    return new Faulty(
      line + value.slice(0, at).split('\n').length - 1,
      message.replace(/ (in JSON )?at position.*/s, ''),
    );
  }
}
