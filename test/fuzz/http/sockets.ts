import type { Random } from '../../graph/qualify/random.ts';

/** A frame of a WebSocket's client, RFC 6455 section 5.2, in which some of what it says may be wrong. */
export function frame(random: Random, payload: Buffer): Buffer {
  const isWrong = random.chance(0.2);
  const opcode = isWrong ? random.pick([0, 2, 3, 8, 9, 10, 11, 15]) : 1;
  const first = (isWrong && random.chance(0.3) ? random.pick([0x00, 0x40, 0x70, 0xf0]) : 0x80) | opcode;
  const isMasked = !isWrong || random.chance(0.8);
  const length = isWrong && random.chance(0.3) ? random.pick([0, 125, 126, 65_535, 2 ** 31, 2 ** 53]) : payload.length;
  const mask = Array.from({ length: 4 }, () => random.below(256));
  const body = isMasked ? Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))) : payload;
  return Buffer.concat([
    Buffer.from([first]),
    lengthOf(length, isMasked),
    ...(isMasked ? [Buffer.from(mask)] : []),
    body,
  ]);
}

function lengthOf(length: number, isMasked: boolean): Buffer {
  const mark = isMasked ? 0x80 : 0;
  if (length < 126) return Buffer.from([mark | length]);
  if (length < 65_536) return Buffer.from([mark | 126, length >> 8, length & 255]);
  const long = Buffer.alloc(9);
  long[0] = mark | 127;
  long.writeBigUInt64BE(BigInt(length), 1);
  return long;
}

/** The texts and the code of a close that a server's frames hold. */
export function readFrames(bytes: Buffer): { texts: string[]; closeCode?: number } {
  const texts: string[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const opcode = (bytes[at] ?? 0) & 15;
    let length = (bytes[at + 1] ?? 0) & 127;
    at += 2;
    if (length === 126) {
      length = bytes.readUInt16BE(at);
      at += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(at));
      at += 8;
    }
    const payload = bytes.subarray(at, at + length);
    at += length;
    if (opcode === 8 && payload.length >= 2) return { texts, closeCode: payload.readUInt16BE(0) };
    texts.push(payload.toString());
  }
  return { texts };
}
