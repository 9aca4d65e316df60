/** An airport as a file of such would have it. */
export interface AirportRow {
  iata: string;
  name: string;
  elevation: number;
  latitude: number;
  longitude: number;
  /** `1987-05-04` */
  opened: string;
  country: string;
  flightsTo: string[];
}

export const countryNames: Record<string, string> = {
  CH: 'Switzerland',
  NO: 'Norway',
  PE: 'Peru',
  KE: 'Kenya',
  NP: 'Nepal',
  NZ: 'New Zealand',
};

/** Invented airports, always the same of one number; each flies to two that come before it. At most 17,576. */
export function airportRows(count: number): AirportRow[] {
  const codes = Object.keys(countryNames);
  const rows: AirportRow[] = [];
  // A linear congruential generator: the same rows on every machine.
  let state = 42;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  for (let index = 0; index < count; index++) {
    const iata = [index / 676, index / 26, index].map((part) => String.fromCharCode(65 + (part % 26))).join('');
    rows.push({
      iata,
      name: `${iata} Airport`,
      elevation: random(4_000),
      latitude: random(180_000) / 1_000 - 90,
      longitude: random(360_000) / 1_000 - 180,
      opened: new Date(Date.UTC(1930 + random(90), random(12), 1 + random(28))).toISOString().slice(0, 10),
      country: codes[random(codes.length)] as string,
      flightsTo: index < 2 ? [] : [...new Set([random(index), random(index)])].map((to) => rows[to]?.iata ?? ''),
    });
  }
  return rows;
}
