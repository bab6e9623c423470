/** Values and keys as they are written into a frontmatter. */
import { Document, isCollection, isScalar, type Node, Scalar } from 'yaml';

/** A value on one line; a string keeps the quotes of the value it takes the place of. */
export function writeValue(value: unknown, old?: Node | null): string {
  const document = new Document(value);
  const { contents } = document;
  if (isCollection(contents)) contents.flow = true;
  if (isScalar(contents) && typeof value === 'string' && isScalar(old) && isQuoted(old)) {
    contents.type = old.type!;
  }
  return oneLine(document);
}

/** A key, or an item of a list between brackets, where commas and brackets are quoted. */
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
  // A value may end in a space that is none to YAML, such as U+00A0.
  return text.replace(/\n$/, '');
}
