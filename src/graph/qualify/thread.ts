import { parentPort, workerData } from 'node:worker_threads';
import { qualifiedText, type Written } from './qualifiedText.ts';
import type { ProjectedField } from './text/literals.ts';
import { answerOf } from './threadAnswer.ts';

/** The thread of `QualifierThread`: it is given the vocabulary's fields, and one text after another. */
const fields: ReadonlyMap<string, ProjectedField> = workerData;

parentPort?.on('message', (written: Written) => {
  parentPort?.postMessage(answerOf(() => qualifiedText(fields, written)));
});
