/**
 * HTML in which a text can never become markup: every value put into the template is
 * escaped, unless it is itself made by this template.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | false | undefined | readonly Html[];

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)));
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
