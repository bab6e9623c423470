/** Serializes values and keys of a frontmatter. */
import { Document, isCollection, isScalar, type Node, Scalar } from 'yaml';

/** A value on one line; a string keeps the quote style of the value it replaces. */
export function writeValue(value: unknown, old?: Node | null): string {
  const document = new Document(value);
  const { contents } = document;
  if (isCollection(contents)) contents.flow = true;
  if (isScalar(contents) && typeof value === 'string' && isScalar(old) && isQuoted(old)) {
    contents.type = old.type!;
  }
  return oneLine(document);
}

/** A key or a flow list item, in which commas and brackets are quoted. */
export function writeItem(value: unknown): string {
  return writeValue([value]).slice(1, -1);
}

function isQuoted(node: Scalar): boolean {
  return node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
}

function oneLine(document: Document): string {
  const text = document.toString({
    lineWidth: 0,
    minContentWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    flowCollectionPadding: false,
  });
  // `trim` would remove a final U+00A0, which is part of the value.
  return text.replace(/\n$/, '');
}
