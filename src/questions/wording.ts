import { inWords } from './lexicon.ts';
import type { Comparison, Condition, EntitySet, Query, ReadUnder } from './query.ts';

/** What is asked, in plain words, so that a person can tell whether it is what was meant. */
export function inWordsOf(query: Query, { requiredCertainty, asOf }: ReadUnder): string {
  const under = [
    ...(requiredCertainty === undefined ? [] : [`certain to at least ${requiredCertainty}`]),
    ...(asOf === undefined ? [] : [`as of ${asOf}`]),
  ];
  return [asked(query), ...under].join(', ');
}

function asked(query: Query): string {
  const set = ofSet(query.set);
  switch (query.kind) {
    case 'list':
      return query.show.length > 0 ? `${query.show.map(said).join(', ')} of ${set}` : set;
    case 'count':
      return `how many there are of ${set}`;
    case 'measure':
      return `the ${query.measure} of ${said(query.field)} over ${set}`;
    case 'truth':
      return `whether there is one of ${set}`;
    case 'groups': {
      const { measure, key, order } = query;
      const what = measure.kind === 'count' ? 'how many there are' : `the ${measure.measure} of ${said(measure.field)}`;
      const part = order ? `, the ${order.descending ? 'greatest' : 'least'} ${order.limit}` : '';
      return `${what} of ${set} for each ${said(key)}${part}`;
    }
  }
}

const said = (name: string) => inWords(name).toLowerCase();

function ofSet({ class: name, where, from, order }: EntitySet): string {
  const road = from ? `${said(from.link)} of ${ofSet(from.set)}` : `each ${name}`;
  const conditions = where ? ` (${inCondition(where)})` : '';
  if (!order) return `${road}${conditions}`;
  const by = order.by.kind === 'count' ? `how many ${said(order.by.field)}` : said(order.by.field);
  const part = order.limit === undefined ? 'all' : `the first ${order.limit}`;
  const after = order.offset > 0 ? ` after ${order.offset}` : '';
  return `${road}${conditions}, ${part}${after} by ${by}, ${order.descending ? 'greatest' : 'least'} first`;
}

const signs: Record<Comparison, string> = {
  eq: 'is',
  gt: 'is over',
  gte: 'is at least',
  lt: 'is under',
  lte: 'is at most',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
};

function inCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'is':
      return condition.label;
    case 'compare': {
      const { field, op, value } = condition;
      const other = typeof value === 'object' ? `that of ${value.label}` : JSON.stringify(value);
      return `${said(field)} ${signs[op]} ${other}`;
    }
    case 'known':
      return `has ${said(condition.field)}`;
    case 'link':
      return `${said(condition.field)}: ${inCondition(condition.of)}`;
    case 'count':
      return `how many ${said(condition.field)} ${signs[condition.op]} ${
        typeof condition.value === 'object' ? `those of ${condition.value.label}` : condition.value
      }`;
    case 'not':
      return `not (${inCondition(condition.of)})`;
    default:
      return condition.of
        .map((each) =>
          each.kind === (condition.kind === 'and' ? 'or' : 'and') ? `(${inCondition(each)})` : inCondition(each),
        )
        .join(` ${condition.kind} `);
  }
}
