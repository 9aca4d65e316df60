import { connect, typed } from 'concord-client';
import { airportRows, countryNames } from './airportData.ts';
import { vocabulary } from './vocabulary.ts';

/** Brings airports in, as a nightly job does, and asks for the highest of a country. */
export async function airports(url: string, print: (line: string) => void, count = 300): Promise<void> {
  const world = typed(await connect(url, { agentId: 'atlas' }), vocabulary);
  const countries = Object.entries(countryNames).map(([code, name]) => world.entity('Country', { code, name }));
  const rows = airportRows(count).map(({ country, flightsTo, ...airport }) =>
    world.entity(
      'Airport',
      { ...airport, country: { code: country }, flightsTo: flightsTo.map((iata) => ({ iata })) },
      { source: 'airports of 2026', observedAt: '2026-03-01' },
    ),
  );
  const { items, rejected } = await world.sendAll([...countries, ...rows], { key: `airports-2026-${count}` });
  print(`${items} entities, ${rejected} rejected`);

  const high = await world.airports({
    where: { elevation: { gte: 3_000 }, country: { code: { eq: 'NP' } } },
    select: { iata: true, elevation: true, opened: true, country: { name: true }, flightsTo: { iata: true } },
    sort: [{ elevation: 'DESC' }, { iata: 'ASC' }],
    limit: 3,
  });
  for (const { iata, elevation, opened, country, flightsTo } of high) {
    const to = flightsTo.map((each) => each.iata).sort();
    print(`${iata}, ${country?.name}: ${elevation} m, since ${opened?.getUTCFullYear()}, to ${to.join(' and ')}`);
  }
}
