/** Gives so many pieces of one byte each, and remembers them without keeping them. */
export function giveBytes(count: number, give: (piece: Buffer) => void): WeakRef<Buffer>[] {
  return Array.from({ length: count }, (_, at) => {
    const piece = Buffer.alloc(1, String(at % 10));
    give(piece);
    return new WeakRef(piece);
  });
}
