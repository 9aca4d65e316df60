import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { alternativeNames, CertificateHolders } from '../../../src/security/certificates/holders.ts';
import { issueCertificate, makeCertificate } from '../../support/certificates.ts';
import { useFolder } from '../../support/setUp.ts';

const folder = useFolder();
let nora: X509Certificate;
beforeAll(() => {
  const by = makeCertificate(folder, 'authority');
  const san = 'DNS:nora.acme.example,URI:spiffe://acme.example/nora';
  const { cert } = issueCertificate(folder, 'nora', { by, subject: '/O=Acme/CN=nora', san });
  nora = new X509Certificate(readFileSync(cert));
});

const rights = { tenant: 'acme', scopes: ['knowledge:query'] };
const holders = (...entries: object[]) =>
  JSON.stringify(entries.map((each) => ({ ...rights, agent: 'nora', ...each })));
const holderOf = (text: string, now = Date.now()) => CertificateHolders.parse(text, () => now).holderOf(nora);

test.each([
  ['its subject', { subject: ['O=Acme', 'CN=nora'] }],
  ['a name of a host', { san: 'DNS:nora.acme.example' }],
  ['an address', { san: 'URI:spiffe://acme.example/nora' }],
])('a certificate means the agent of %s', (_, name) => {
  const found = holderOf(holders({ ...name, graphs: ['default', 'urn:g'] }));
  expect(found).toMatchObject({ tenant: 'acme', agentId: 'nora', graphs: { default: true, named: ['urn:g'] } });
  expect([...(found?.scopes ?? [])]).toEqual(['knowledge:query']);
});

test.each([
  ['a part of its subject', { subject: ['CN=nora'] }],
  ['its subject in another order', { subject: ['CN=nora', 'O=Acme'] }],
  ['its subject in one line', { subject: ['O=Acme, CN=nora'] }],
  ['another kind of name', { san: 'URI:nora.acme.example' }],
  ['the beginning of a name', { san: 'URI:spiffe://acme.example' }],
])('and nobody is meant by %s', (_, name) => {
  expect(holderOf(holders(name))).toBeUndefined();
});

test('the subject counts before the other names', () => {
  const both = holders({ san: 'DNS:nora.acme.example', agent: 'host' }, { subject: ['O=Acme', 'CN=nora'] });
  expect(holderOf(both)).toMatchObject({ agentId: 'nora' });
});

test('one that is over, or not yet valid, is refused, and nothing is kept longer than an hour or than it holds', () => {
  const text = holders({ subject: ['O=Acme', 'CN=nora'] });
  const [from, to] = [Date.parse(nora.validFrom), Date.parse(nora.validTo)];
  expect(() => holderOf(text, to + 1)).toThrow('expired');
  expect(() => holderOf(text, from - 1)).toThrow('not valid yet');
  expect(holderOf(text, from)?.expiresAt).toBe(from + 3_600_000);
  expect(holderOf(text, to - 5)?.expiresAt).toBe(to);
});

test('a name that holds what stands between names is one name', () => {
  expect(alternativeNames('DNS:a, URI:"b, DNS:admin", IP Address:127.0.0.1')).toEqual([
    'DNS:a',
    'URI:b, DNS:admin',
    'IP Address:127.0.0.1',
  ]);
  expect(alternativeNames()).toEqual([]);
});

test.each([
  ['no list', '{}', 'expected array'],
  ['neither a subject nor another name', holders({}), 'both subject and san, or neither'],
  ['both', holders({ subject: ['CN=a'], san: 'DNS:a' }), 'both subject and san, or neither'],
  ['a scope that there isn’t', holders({ san: 'DNS:a', scopes: ['all'] }), 'is none of'],
  ['the same name twice', holders({ san: 'DNS:a' }, { san: 'DNS:a', agent: 'other' }), 'twice'],
  ['a member that there isn’t', holders({ san: 'DNS:a', role: 'x' }), 'role'],
])('a file with %s is refused', (_, text, fault) => {
  expect(() => CertificateHolders.parse(text)).toThrow(fault);
});
