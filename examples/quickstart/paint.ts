/** Colours, on a terminal that wants them and nowhere else. */
const isWanted = process.stdout.isTTY === true && !process.env.NO_COLOR;

function painter(code: number): (text: string) => string {
  return (text) => (isWanted ? `\x1b[${code}m${text}\x1b[0m` : text);
}

export const paint = {
  strong: painter(1),
  faint: painter(2),
  bad: painter(31),
  good: painter(32),
};
