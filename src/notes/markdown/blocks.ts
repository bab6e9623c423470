/**
 * The block structure of a note by CommonMark, from markdown-it's block rules alone. Hostile notes
 * are why it is used in this way: no token is kept (ten million bytes of `- a` would be gigabytes
 * of them), no content is copied, nothing is parsed below forty levels of lists and quotes, and the
 * rules for tables, whose tokens grow with columns times rows, and for inline text are not run.
 */
import MarkdownIt from 'markdown-it';

export interface Block {
  readonly kind: 'heading' | 'text' | 'item' | 'fence' | 'html' | 'definition';
  /** Lines counted from 0, `endLine` excluded. An item is given by its first line alone. */
  readonly firstLine: number;
  readonly endLine: number;
  /** How many lists, items and quotes it stands in. */
  readonly depth: number;
  /** The level of a heading, else 0. */
  readonly level: number;
  /** What opens it: `#`s, `=`, `-`, or the characters of a fence. */
  readonly markup: string;
}

type Token = InstanceType<typeof MarkdownIt.Token>;

const MAX_DEPTH = 40;

const KINDS: Readonly<Record<string, Block['kind']>> = {
  heading_open: 'heading',
  inline: 'text',
  list_item_open: 'item',
  fence: 'fence',
  html_block: 'html',
  reference_definition: 'definition',
};

const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_DEPTH });
markdown.normalizeLink = (url) => url;
markdown.validateLink = () => true;

/** Calls `visit` for each block in order. `text` has one character a byte. */
export function readBlocks(text: string, visit: (block: Block) => void): void {
  const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const state = new VisitingState(source, markdown, {}, []);
  state.visit = visit;
  markdown.block.tokenize(state, 0, state.lineMax);
  state.hand();
}

/**
 * A rule fills in its token after `push` has returned it, and before the next `push`; so each token
 * is handed on when the next one comes, and forgotten. One token serves the whole note.
 */
class VisitingState extends MarkdownIt.StateBlock {
  visit: (block: Block) => void = () => {};
  readonly #token: Token = new MarkdownIt.Token('', '', 0);

  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    this.hand();
    const token = this.#token;
    token.type = type;
    token.tag = tag;
    token.map = null;
    token.markup = '';
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    return token;
  }

  override getLines(): string {
    return '';
  }

  hand(): void {
    const token = this.#token;
    const kind = KINDS[token.type];
    token.type = '';
    if (!kind || !token.map) return;
    this.visit({
      kind,
      firstLine: token.map[0],
      endLine: token.map[1],
      depth: token.level,
      level: kind === 'heading' ? Number(token.tag.slice(1)) : 0,
      markup: token.markup,
    });
  }
}
