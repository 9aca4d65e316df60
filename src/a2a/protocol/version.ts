/** The versions of A2A that are served. */
export const protocolVersions = ['1.0', '0.3'] as const;

export type ProtocolVersion = (typeof protocolVersions)[number];

/**
 * The version that `A2A-Version` names, without the patch version, which must not matter; A2A 1.0, section 3.6.1.
 * A request without one is of 0.3 (section 3.6.2). What is no version comes back as it is, and is not supported.
 */
export function versionAsked(header: string | undefined): string {
  const asked = header?.trim() ?? '';
  if (asked === '') return '0.3';
  return /^(\d+\.\d+)(\.\d+)*$/.exec(asked)?.[1] ?? asked;
}

export function isServed(version: string): version is ProtocolVersion {
  return protocolVersions.some((served) => served === version);
}
