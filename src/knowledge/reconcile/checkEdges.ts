import { isDateTime } from 'neo4j-driver';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { type EdgeRow, type EndNode, edgesByElement } from '../../graph/reconcile/edgePages.ts';
import { changesOfUpdate } from '../../graph/reconcile/logPages.ts';
import { isCertainty, type Statement, statementIdOf } from '../../graph/statements/statement.ts';
import { dateTime } from '../../graph/statements/values.ts';
import { jsonIn } from '../../graph/statements/voice.ts';
import type { Found } from './difference.ts';

/** What of these edges is not as Concord writes it. */
export async function checkEdges(
  tx: Queryable,
  tenant: string,
  elements: string[],
  dictionary: Dictionary,
): Promise<Found[]> {
  const predicates = dictionary.predicatesByType();
  const found: Found[] = [];
  for (const row of await edgesByElement(tx, elements)) {
    const statement = statementOf(row, predicates);
    // Somebody's own: it joins no entities, and no statement either.
    if (statement === undefined && !joinsEntities(row) && row.edge.statementId === undefined) continue;
    if (statement === undefined || row.start.tenant !== row.end.tenant || !isFiled(row, tenant, statement))
      found.push(madeByHand(row, tenant));
    else {
      const wrong = wrongValues(row, tenant, statement.predicate.id);
      if (wrong.length > 0) found.push(await changedByHand(tx, row, { tenant, statement, wrong }));
    }
  }
  return found;
}

const joinsEntities = ({ start, end }: EdgeRow) =>
  start.labels.includes('Entity') && (end.labels.includes('Entity') || end.labels.includes('Literal'));

/** The statement that an edge is by its type, its ends and its graph; undefined where it is none. */
export function statementOf(row: EdgeRow, predicates: ReadonlyMap<string, string>): Statement | undefined {
  const { type, start, end, edge } = row;
  const predicate = predicates.get(type);
  const object = objectOf(end);
  if (predicate === undefined || object === undefined || !joinsEntities(row) || typeof start.id !== 'string')
    return undefined;
  return {
    subject: { id: start.id, ...(typeof start.type === 'string' && { type: start.type }) },
    predicate: { id: predicate },
    object,
    ...(edge.graph !== undefined && { graph: edge.graph as string }),
  };
}

function objectOf({ labels, id, type, value, datatype, language }: EndNode): Statement['object'] | undefined {
  if (!labels.includes('Literal'))
    return typeof id === 'string' ? { id, ...(typeof type === 'string' && { type }) } : undefined;
  if (!['string', 'number', 'boolean'].includes(typeof value) || typeof datatype !== 'string') return undefined;
  return { value: value as string, type: datatype, ...(typeof language === 'string' && { language }) };
}

const isFiled = ({ edge }: EdgeRow, tenant: string, statement: Statement) =>
  edge.statementId === statementIdOf(tenant, statement);

const idOf = ({ start }: EdgeRow) => (typeof start.id === 'string' ? { id: start.id } : {});

/** It is put out of the graph, and what it says is stated. */
function madeByHand(row: EdgeRow, tenant: string): Found {
  const { element, type, startElement: start, endElement: end } = row;
  const edits: Found['edits'] = [{ kind: 'relationship', op: 'created', element, type, start, end }];
  // Its own literal is in the way of nobody but of a purge, which finds literals by their edges.
  if (row.end.labels.includes('Literal')) edits.push({ kind: 'node', op: 'created', element: end });
  return { difference: { kind: 'edge', tenant, ...idOf(row), of: type }, edits };
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isListOf = (value: unknown, length: number) => Array.isArray(value) && value.length === length;

/** The properties of a statement's edge that cannot be what they are. */
function wrongValues({ edge }: EdgeRow, tenant: string, predicate: string): string[] {
  const { sources, sourceDetails, sourceCertainties } = edge;
  const isRight: Record<string, boolean> = {
    certainty: edge.certainty === undefined || isCertainty(edge.certainty),
    provenance: edge.provenance === undefined || jsonIn(edge.provenance) !== undefined,
    observedAt: isDateTime(edge.observedAt as object),
    recordedAt: isDateTime(edge.recordedAt as object),
    revision: Number.isInteger(edge.revision),
    updateId: isText(edge.updateId),
    sourceAgentId: isText(edge.sourceAgentId),
    tenant: edge.tenant === tenant,
    predicate: edge.predicate === predicate,
  };
  if (sources !== undefined || sourceDetails !== undefined || sourceCertainties !== undefined) {
    const length = Array.isArray(sources) ? sources.length : -1;
    isRight.sources = length > 1;
    isRight.sourceDetails = isListOf(sourceDetails, length) && (sourceDetails as unknown[]).every(jsonIn);
    isRight.sourceCertainties =
      isListOf(sourceCertainties, length) && (sourceCertainties as unknown[]).every(isCertainty);
  }
  return Object.keys(isRight).filter((key) => !isRight[key]);
}

/** It is put back as far as the log tells it; what it was set to is for a reviewer, where somebody may say it at all. */
async function changedByHand(
  tx: Queryable,
  { element, type, startElement: start, endElement: end, edge }: EdgeRow,
  { tenant, statement, wrong }: { tenant: string; statement: Statement; wrong: string[] },
): Promise<Found> {
  const statementId = statementIdOf(tenant, statement);
  const logged = await lastOf(tx, tenant, { statementId, statement, updateId: edge.updateId });
  const lists = ['sources', 'sourceDetails', 'sourceCertainties'];
  const right: Record<string, unknown> = {
    certainty: logged?.certainty ?? null,
    provenance: logged?.provenance === undefined ? null : JSON.stringify(logged.provenance),
    observedAt: isDateTime(edge.recordedAt as object) ? edge.recordedAt : dateTime(Date.now()),
    recordedAt: isDateTime(edge.observedAt as object) ? edge.observedAt : dateTime(Date.now()),
    revision: 0,
    updateId: '',
    sourceAgentId: 'direct:reconcile',
    tenant,
    predicate: statement.predicate.id,
  };
  // Of lists that aren't parallel nobody knows who said what: the edge is the voice of who spoke last.
  const corrected = wrong.some((key) => lists.includes(key)) ? [...wrong, ...lists] : wrong;
  const correction = Object.fromEntries(corrected.map((key) => [key, right[key] ?? null]));
  return {
    difference: {
      kind: 'edge-value',
      tenant,
      id: statement.subject.id,
      of: `${type} {${wrong.join(', ')}}`,
      statementId,
    },
    edits: [{ kind: 'relationship', op: 'changed', element, type, start, end, correction }],
  };
}

/** What an update said last of a statement. */
async function lastOf(
  tx: Queryable,
  tenant: string,
  { statementId, statement, updateId }: { statementId: string; statement: Statement; updateId: unknown },
): Promise<Statement | undefined> {
  if (typeof updateId !== 'string') return undefined;
  const changes = await changesOfUpdate(tx, updateId, statement.subject.id);
  return changes
    .map((change) => jsonIn(change.statement) as Statement | undefined)
    .findLast((said) => said !== undefined && statementIdOf(tenant, said) === statementId);
}
