import { add, type ConcordClient, connect, type Patch, replace } from 'concord-client';
import { airportRows, countryNames } from './airportData.ts';

const base = 'https://example.org/examples#';
const xsdDate = 'http://www.w3.org/2001/XMLSchema#date';
const airport = (iata: string) => ({
  id: `${base}Airport?iata=${encodeURIComponent(iata)}`,
  type: `${base}Airport`,
});
const country = (code: string) => ({
  id: `${base}Country?code=${encodeURIComponent(code)}`,
  type: `${base}Country`,
});
const size = 2_000;

/**
 * Sends patches in as many updates as it takes; each has a key, so that a second run of the job applies nothing twice.
 */
async function sendAll(client: ConcordClient, patches: Patch[], key: string): Promise<void> {
  for (let start = 0; start < patches.length; start += size) {
    const mutations = patches.slice(start, start + size);
    const metadata = { idempotencyKey: `${key}:${start / size}` };
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await client.update({ mutations, metadata });
        if (!result.success) throw new Error(result.verificationDetails);
        break;
      } catch (error) {
        if (attempt === 10 || (error as { retryable?: boolean }).retryable !== true) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1_000 * attempt));
      }
    }
  }
}

interface Row {
  iata: string;
  elevation: number;
  opened: string;
  country: { name: string } | null;
  flightsTo: { iata: string }[];
}

/** The same as `airports`, by statements. */
export async function airportsPlain(url: string, print: (line: string) => void, count = 300): Promise<void> {
  const client = await connect(url, { agentId: 'atlas' });
  const extras = { provenance: { source: 'airports of 2026', timestamp: '2026-03-01' } };
  const countries = Object.entries(countryNames).flatMap(([code, name]) => [
    add(country(code), `${base}code`, code),
    replace(country(code), `${base}name`, name),
  ]);
  const rows = airportRows(count);
  const patches = rows.flatMap((row) => {
    const subject = airport(row.iata);
    const state = (name: string, value: string | number) => replace(subject, base + name, value, extras);
    return [
      add(subject, `${base}iata`, row.iata),
      state('name', row.name),
      state('elevation', row.elevation),
      state('latitude', row.latitude),
      state('longitude', row.longitude),
      replace(subject, `${base}opened`, { value: row.opened, type: xsdDate }, extras),
      replace(subject, `${base}country`, country(row.country), extras),
      ...row.flightsTo.map((iata) => add(subject, `${base}flightsTo`, airport(iata), extras)),
    ];
  });
  await sendAll(client, [...countries, ...patches], `airports-plain-${count}`);
  print(`${Object.keys(countryNames).length + rows.length} entities, 0 rejected`);

  const { data } = await client.query<{ airports: Row[] }>(
    `query ($country: ID, $from: Int) {
      airports(
        where: {elevation: {gte: $from}, country: {code: {eq: $country}}}
        sort: [{elevation: DESC}, {iata: ASC}]
        limit: 3
      ) { iata elevation opened country { name } flightsTo { iata } }
    }`,
    { country: 'NP', from: 3_000 },
  );
  for (const { iata, elevation, opened, country, flightsTo } of data.airports) {
    const to = flightsTo.map((each) => each.iata).sort();
    const year = new Date(opened).getUTCFullYear();
    print(`${iata}, ${country?.name}: ${elevation} m, since ${year}, to ${to.join(' and ')}`);
  }
}
