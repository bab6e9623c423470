/**
 * Questions to a person at a terminal. Input is echoed only while a question waits whose answer is not
 * secret, so that a password among several pasted lines is never shown. There is no history.
 */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** The person pressed Ctrl-C or Ctrl-D. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  constructor() {
    super('cancelled; nothing was made');
  }
}

export class Prompt {
  readonly #screen: NodeJS.WritableStream;
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  #isSeen = false;
  #isClosed = false;
  #wake = (): void => {};

  constructor(input: NodeJS.ReadStream, screen: NodeJS.WritableStream = process.stderr) {
    this.#screen = screen;
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#isSeen) screen.write(chunk);
        done();
      },
    });
    this.#interface = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    this.#interface.on('line', (line) => {
      this.#isSeen = false;
      this.#lines.push(line);
      this.#wake();
    });
    this.#interface.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** The answer, or the default where it is empty. */
  async ask(question: string, standard = ''): Promise<string> {
    const asked = standard === '' ? `${question}: ` : `${question} [${standard}]: `;
    const early = this.#lines.shift();
    if (early !== undefined) {
      this.#screen.write(`${asked}${early}\n`);
      return early.trim() || standard;
    }
    this.#isSeen = !this.#isClosed;
    this.#interface.setPrompt(asked);
    if (!this.#isClosed) this.#interface.prompt(true);
    return (await this.#nextLine()).trim() || standard;
  }

  /** The answer as it was typed, without echo. */
  async askHidden(question: string): Promise<string> {
    this.#screen.write(`${question}: `);
    this.#interface.setPrompt('');
    try {
      return await this.#nextLine();
    } finally {
      this.#screen.write('\n');
    }
  }

  say(line: string): void {
    this.#screen.write(`${line}\n`);
  }

  close(): void {
    this.#isSeen = false;
    this.#interface.close();
  }

  async #nextLine(): Promise<string> {
    while (this.#lines.length === 0) {
      if (this.#isClosed) throw new Cancelled();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift()!;
  }
}
