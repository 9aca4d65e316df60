import { z } from 'zod';
import { parseAllowed } from './allowedReceivers.ts';
import { secretSetting } from './secretSetting.ts';

const atMost = z.coerce.number().int().positive().optional();

/** `method=requests` pairs, comma-separated. */
function parseMethods(text: string): Map<string, number> {
  const methods = new Map<string, number>();
  for (const pair of text.split(',').filter(Boolean)) {
    const [method = '', most = '', ...more] = pair.split('=').map((each) => each.trim());
    if (method === '' || !/^[1-9]\d*$/.test(most) || more.length > 0)
      throw new Error(`'${pair}' is not method=requests, as knowledge/update=600`);
    methods.set(method, Number(most));
  }
  return methods;
}

function parseProxies(text: string) {
  const { hosts, addresses } = parseAllowed(text);
  if (hosts.size > 0) throw new Error(`'${[...hosts].join()}' is no address and no block of addresses (10.1.0.0/16)`);
  return addresses;
}

const parsedBy = <T>(parse: (text: string) => T) =>
  z
    .string()
    .default('')
    .transform((given, context) => {
      try {
        return parse(given);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    });

/** The settings of rate limits, by the names of their environment variables; a part of those in `config.ts`. */
export const limitSettings = {
  RATE_LIMIT_ADDRESS: atMost.describe(
    'Most requests a minute from one address, whoever makes them ([limits](security.md#how-many-requests)). Absent: any number',
  ),
  RATE_LIMIT_AGENT: atMost.describe('Most calls a minute of one agent'),
  RATE_LIMIT_METHODS: parsedBy(parseMethods).describe(
    'Most calls a minute of one agent by methods, `method=calls`, comma-separated: `knowledge/update=600,graphql=300`',
  ),
  QUOTA_PER_DAY: atMost.describe('Most calls of one agent in a day, from the first on'),
  RATE_LIMIT_STORE: secretSetting(
    'Redis in which all replicas count together, `redis://` or `rediss://` with its password. Absent: each counts for itself',
    z.url({ protocol: /^rediss?$/ }),
  ),
  TRUSTED_PROXIES: parsedBy(parseProxies).describe(
    'Proxies in front of Concord, whose `X-Forwarded-For` tells the address of the caller: addresses and blocks, comma-separated. Without it, it is that of the connection',
  ),
};
