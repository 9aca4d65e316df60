import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import type { QualifiedText, Written } from './qualifiedText.ts';
import {
  type Conditions,
  type PageAsked,
  type ProjectedField,
  type Qualified,
  withValues,
  writtenFor,
} from './qualifier.ts';
import { type Answer, textOf } from './threadAnswer.ts';

/** Characters of known texts, as written and as sent. */
const knownCharacters = 64 * 1024 * 1024;

/** Milliseconds of a processor that one text may take. */
const patienceMs = 10_000;
/** So many times longer it may take on a machine that has other things to do: then it isn't the text that is long. */
const mostPatience = 6;

// A thread runs what is built; under a test runner or a loader this file is the source.
const script = new URL('./thread.js', import.meta.url.replace(/\/src\/(graph\/qualify\/[^/]*)$/, '/dist/$1'));

interface Waiting {
  key: string;
  written: Written;
  resolve(text: QualifiedText): void;
  reject(error: unknown): void;
}

/**
 * Rewrites Cypher so that its answer is that of the same query on a database that holds nothing but what qualifies: the
 * tenant's statements that meet the conditions, and the entities and literals that take part in them.
 * `docs/design/reading.md` says why that holds.
 *
 * It does so in a thread of its own, so that reading a long text holds up nothing but other texts that nobody has asked
 * before. Of those that wait the shortest is next. What is known is answered at once.
 */
export class QualifierThread {
  private readonly known = new LRUCache<string, QualifiedText>({
    maxSize: knownCharacters,
    sizeCalculation: (text, key) => key.length + text.cypher.length,
  });
  private readonly asked = new Map<string, Promise<QualifiedText>>();
  private readonly queue: Waiting[] = [];
  private current: { waiting: Waiting; timer: NodeJS.Timeout } | undefined;
  private worker: Worker;
  private isClosed = false;

  /**
   * @param fields the vocabulary's literal fields by the property of an entity that projects them
   * @param spentMs milliseconds of a processor that this process has had
   */
  constructor(
    private readonly fields: ReadonlyMap<string, ProjectedField>,
    private readonly spentMs = processorMs,
  ) {
    this.worker = this.start();
  }

  /** As `qualifiedText`, with the values of the conditions; LimitExceeded `too-large` also where that takes too long. */
  async qualify(
    cypher: string,
    conditions: Conditions,
    consults = false,
    isOwn = false,
    page?: PageAsked,
  ): Promise<Qualified> {
    const written = writtenFor(cypher, conditions, consults, isOwn, page);
    const key = `${page ? `page ${JSON.stringify(page)} ` : ''}${consults ? 'consults ' : ''}${isOwn ? 'own ' : ''}${JSON.stringify(written.shape)} ${cypher}`;
    return withValues(this.known.get(key) ?? (await this.ask(key, written)), conditions);
  }

  /** Ends the thread; what waits for it is never answered. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.current?.timer);
    await this.worker.terminate();
  }

  /** The same text is read once, however many wait for it. */
  private ask(key: string, written: Written): Promise<QualifiedText> {
    const asked =
      this.asked.get(key) ??
      new Promise<QualifiedText>((resolve, reject) => {
        this.queue.push({ key, written, resolve, reject });
        this.next();
      }).finally(() => this.asked.delete(key));
    this.asked.set(key, asked);
    return asked;
  }

  private next(): void {
    if (this.current !== undefined) return;
    this.queue.sort((one, other) => one.written.cypher.length - other.written.cypher.length);
    const waiting = this.queue.shift();
    if (waiting === undefined) return;
    this.current = { waiting, timer: this.patience(waiting, this.spentMs(), 1) };
    this.worker.postMessage(waiting.written);
  }

  /** The thread can't have had more of a processor than the process has. */
  private patience(waiting: Waiting, spentBefore: number, times: number): NodeJS.Timeout {
    return setTimeout(() => {
      const isStarved = this.spentMs() - spentBefore < patienceMs && times < mostPatience;
      if (isStarved) this.current = { waiting, timer: this.patience(waiting, spentBefore, times + 1) };
      else this.restart(tooLong());
    }, patienceMs);
  }

  private start(): Worker {
    const worker = new Worker(script, { workerData: this.fields });
    worker.unref();
    worker.on('message', (answer: Answer) => {
      const waiting = this.settle();
      if (waiting === undefined) return;
      try {
        const text = textOf(answer);
        this.known.set(waiting.key, text);
        waiting.resolve(text);
      } catch (error) {
        waiting.reject(error);
      }
      this.next();
    });
    worker.on('error', (error) => this.restart(error));
    return worker;
  }

  private settle(): Waiting | undefined {
    clearTimeout(this.current?.timer);
    const waiting = this.current?.waiting;
    this.current = undefined;
    return waiting;
  }

  /** A thread that has died or takes too long is replaced; the text that it was about is given up. */
  private restart(why: unknown): void {
    this.worker.removeAllListeners();
    void this.worker.terminate();
    this.settle()?.reject(why);
    if (this.isClosed) return;
    this.worker = this.start();
    this.next();
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function tooLong(): LimitExceeded {
  const message = `The query takes longer than ${patienceMs} ms to be read under its conditions; split it`;
  return new LimitExceeded('too-large', message, { limit: patienceMs });
}
