/**
 * Parses YAML into nodes with positions.
 *
 * Safe on hostile input: nesting that exhausts the stack is reported as a problem, aliases are resolved
 * in one pass without recursion, and every check is linear. (The parser's own search for duplicate keys
 * is quadratic; `YamlNode` does it.) The parser's messages are not used: they may quote a secret.
 */
import {
  type Alias,
  isAlias,
  isCollection,
  isPair,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import type { Problems } from './problems.ts';

export interface YamlDocument {
  readonly text: string;
  readonly root: Node | null;
  readonly lines: LineCounter;
  /** The node that each alias refers to. */
  readonly aliases: ReadonlyMap<Alias, Node>;
}

/** The document, or undefined when the text is not YAML, which is added to the problems. */
export function parseYamlDocument(
  text: string,
  file: string,
  problems: Problems,
): YamlDocument | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: false,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const root = document.contents as Node | null;
  const { aliases, unresolved } = resolveAliases(root);
  const errors = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    code,
    offset: pos[0],
  }));
  for (const alias of unresolved) errors.push({ code: 'BAD_ALIAS', offset: alias.range?.[0] ?? 0 });
  reportFirstOfEachLine(errors, lines, file, problems);
  return errors.length > 0 ? undefined : { text, root, lines, aliases };
}

/** An alias refers to the last node before it with its anchor. */
function resolveAliases(root: Node | null): {
  aliases: Map<Alias, Node>;
  unresolved: Alias[];
} {
  const aliases = new Map<Alias, Node>();
  const unresolved: Alias[] = [];
  const anchors = new Map<string, Node>();
  const ahead: unknown[] = [root];
  while (ahead.length > 0) {
    const node = ahead.pop();
    if (isPair(node)) ahead.push(node.value, node.key);
    else if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target) aliases.set(node, target);
      else unresolved.push(node);
    } else if (node) {
      const { anchor } = node as { anchor?: string };
      if (anchor) anchors.set(anchor, node as Node);
      if (isCollection(node)) {
        for (let i = node.items.length - 1; i >= 0; i--) ahead.push(node.items[i]);
      }
    }
  }
  return { aliases, unresolved };
}

/** Further errors on the same line mostly follow from the first. */
function reportFirstOfEachLine(
  errors: readonly { readonly code: string; readonly offset: number }[],
  lines: LineCounter,
  file: string,
  problems: Problems,
): void {
  const reported = new Set<number>();
  for (const { code, offset } of errors.toSorted((a, b) => a.offset - b.offset)) {
    const { line, col } = lines.linePos(offset);
    if (reported.has(line)) continue;
    reported.add(line);
    problems.add({ file, line, column: col, message: `not valid YAML: ${reason(code)}` });
  }
}

function reason(code: string): string {
  return REASONS[code] ?? 'something that does not belong here';
}

const REASONS: Record<string, string> = {
  BAD_ALIAS: 'an alias without its anchor',
  BAD_DQ_ESCAPE: 'an unknown escape in double quotes; use single quotes or write \\\\',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_SCALAR_START: 'a value cannot begin with this character; put it into quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a nested value where a key is expected; check indentation and quotes',
  KEY_OVER_1024_CHARS: 'a key longer than 1024 characters; check the quotes and the colon',
  MISSING_CHAR: 'a quote, bracket, colon or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a key that spans lines; check the quotes and the colon',
  MULTIPLE_DOCS: 'more than one document; remove the line "---"',
  RESOURCE_EXHAUSTION: 'values nested too deeply',
  TAB_AS_INDENT: 'a tab used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'a tag that is not known; remove it',
};
