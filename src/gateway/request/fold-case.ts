/** For comparison without case. Upper case first: it also folds the few letters that have two lower-case forms. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
