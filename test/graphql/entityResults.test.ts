import { expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { LimitExceeded } from '../../src/base/limitExceeded.ts';
import type { Call } from '../../src/calls/call.ts';
import { entityResults } from '../../src/graphql/entityResults.ts';
import { withClassChanges } from '../../src/knowledge/subscribe/classChanges.ts';
import { withSubscriptions } from '../../src/schema/subscription.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { loggedChange } from '../changes/loggedChange.ts';

const served = withSubscriptions(
  buildSchema(`
    scalar JSON
    scalar DateTime
    type StatementObject { id: ID }
    input IdWhere { eq: ID }
    input CountryWhere { id: IdWhere }
    type Country { id: ID }
    type Query { countries(where: CountryWhere): [Country] }`),
);
const schema = withClassChanges(served, { classes: [{ name: 'Country', iri: 'urn:Country' } as never] });

/** What a subscriber gets of a change whose entity is asked for with this. */
function resultWith(query: () => Promise<never>) {
  const document = parse('subscription { countryChanged { after { id } } }');
  const call = { principal: localPrincipal, signal: new AbortController().signal } as Call;
  const resultFor = entityResults({ schema, query, closedTo: () => undefined })({
    changes: { document, shape: 's' },
    call,
  });
  return resultFor?.(loggedChange(1, 'a'), async () => ({ data: {} }));
}

test('a query of one entity that takes too long is worth another try, from the same place', async () => {
  const late = resultWith(async () => {
    throw new LimitExceeded('timeout', 'late', { limit: 10 });
  });
  await expect(late).rejects.toMatchObject({ data: { reason: 'timeout', limit: 10, retryable: true } });
});

test('any other fault of it stays what it is', async () => {
  const costly = resultWith(async () => {
    throw new LimitExceeded('too-costly', 'much', {});
  });
  await expect(costly).rejects.toMatchObject({ data: { reason: 'too-costly', retryable: false } });
});
