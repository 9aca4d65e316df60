/** Concord's own word of its resident memory, in MiB. */
export async function residentMiB(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const bytes = /^process_memory_bytes\{kind="resident"\} (\S+)/m.exec(metrics)?.[1];
  return Number(bytes) / 2 ** 20;
}
