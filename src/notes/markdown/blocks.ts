/**
 * The CommonMark block structure of a note, from markdown-it's block rules alone. Resource
 * exhaustion by hostile notes is prevented: no token is kept, no content is copied, nesting stops at
 * 40 levels, and the rules for tables and inline text do not run.
 */
import MarkdownIt from 'markdown-it';

export interface Block {
  readonly kind: 'heading' | 'text' | 'item' | 'fence' | 'html' | 'definition';
  /** Lines counted from 0, `endLine` excluded. Only the first line of an item is given. */
  readonly firstLine: number;
  readonly endLine: number;
  /** The number of enclosing lists, items and quotes. */
  readonly depth: number;
  /** The level of a heading, else 0. */
  readonly level: number;
  /** The opening marks: `#`s, `=`, `-`, or those of a fence. */
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

const TABBED_ITEM = /^\t+(?:[-*+]|\d{1,9}[.)])[ \t]/;
const MAX_MARKER_LENGTH = 40;

const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_DEPTH });
markdown.normalizeLink = (url) => url;
markdown.validateLink = () => true;

/**
 * A tag with a million attributes in one line exhausts the stack of the expression that recognizes
 * HTML, which throws. Such a line is text.
 */
const readHtml = markdown.block.ruler.getRules('').find(({ name }) => name === 'html_block')!;
markdown.block.ruler.at(
  'html_block',
  (...args) => {
    try {
      return readHtml(...args);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  },
  { alt: ['paragraph', 'reference', 'blockquote'] },
);

/** Calls `visit` for each block in order. `text` has one character per byte. */
export function readBlocks(text: string, visit: (block: Block) => void): void {
  const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const state = new VisitingState(source, markdown, {}, []);
  state.visit = visit;
  markdown.block.tokenize(state, 0, state.lineMax);
  state.hand();
}

/**
 * Reuses one token for the whole note: a rule completes its token before the next `push`, which then
 * visits it.
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

  /**
   * CommonMark takes a list that is indented by a tab under a heading for code. Obsidian and Logseq
   * write such lists, and the links in them are links.
   */
  #isTabbedList({ type, map }: Token): boolean {
    if (type !== 'code_block' || !map) return false;
    const start = this.bMarks[map[0]]!;
    return TABBED_ITEM.test(this.src.slice(start, start + MAX_MARKER_LENGTH));
  }

  hand(): void {
    const token = this.#token;
    const kind = KINDS[token.type] ?? (this.#isTabbedList(token) ? 'text' : undefined);
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
