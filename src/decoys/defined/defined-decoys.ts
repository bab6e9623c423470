/**
 * The decoys of decoy files: the first definition with the path and the method answers. A path without
 * `*` is found in a map, so that a miss costs the same with many definitions.
 */

import { binaryFile } from '../definitions/binary-file.ts';
import type { BuiltIn, Definition } from '../definitions/definition.ts';
import type { PathPattern } from '../definitions/path-pattern.ts';
import { parseTemplate, type Template } from '../definitions/placeholders.ts';
import { vary } from '../definitions/variation.ts';
import { type Answer, FileTimes, fileAnswer } from '../kit/answer.ts';
import { typeOfPath } from '../kit/content-type.ts';
import type { Decoy, Kit, Match } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';
import { filePlaces } from '../tokens/file-places.ts';
import { BoundTemplate, type Rendered, type ValueContext } from './values.ts';

interface Bound {
  readonly definition: Definition;
  /** Created at the first request. */
  content(): Content;
}

interface Content {
  readonly body: BoundTemplate;
  readonly packed: readonly (readonly [name: string, body: BoundTemplate])[];
  readonly headers: readonly (readonly [name: string, value: BoundTemplate])[];
}

/** Without a built-in file, the definitions are the operator's own. */
interface DefinitionSet {
  readonly file?: BuiltIn;
  readonly definitions: readonly Definition[];
}

export function definedDecoys(sets: readonly DefinitionSet[], kit: Kit): Decoy {
  const exact = new Map<string, Bound[]>();
  const patterns: (readonly [PathPattern, Bound])[] = [];
  const times = new FileTimes(kit.draw);
  for (const { file, definitions } of sets) {
    const context = { kit, places: filePlaces(file) };
    for (const definition of definitions) {
      const one = bound(definition, context);
      for (const path of definition.paths) {
        if (path.exact === undefined) patterns.push([path, one]);
        else exact.set(path.exact, [...(exact.get(path.exact) ?? []), one]);
      }
    }
  }
  return {
    methods: 'any',
    match: (probe) => {
      const found = exact.get(probe.path)?.find((one) => accepts(one, probe));
      if (found) return matchOf(found, probe, times);
      for (const [path, one] of patterns) {
        if (accepts(one, probe) && path.matches(probe.path)) return matchOf(one, probe, times);
      }
      return undefined;
    },
  };
}

function bound(definition: Definition, context: ValueContext): Bound {
  let made: Content | undefined;
  return {
    definition,
    content: () => {
      made ??= contentOf(definition, context);
      return made;
    },
  };
}

function contentOf(definition: Definition, context: ValueContext): Content {
  const { tag, headers, paths } = definition;
  const label = `${tag} ${paths[0]?.text}`;
  const body = bodyOf(definition, label, context);
  return {
    body: new BoundTemplate(body, `${label} body`, context),
    packed: (definition.archive?.files ?? []).map((file) => {
      const place = `${label} ${file.name}`;
      return [file.name, new BoundTemplate(bodyOf(file, place, context), place, context)] as const;
    }),
    headers: headers.map(
      ([name, value]) => [name, new BoundTemplate(value, `${label} ${name}`, context)] as const,
    ),
  };
}

/** Lines of a varied body are in the order and selection of this deployment. */
function bodyOf(
  { body, regions }: Pick<Definition, 'body' | 'regions'>,
  label: string,
  { kit }: ValueContext,
): Template {
  const template = regions ? parseTemplate(vary(regions, label, kit.draw)) : body;
  return 'problem' in template ? body : template;
}

function accepts({ definition: { methods } }: Bound, { method }: Probe): boolean {
  return methods === 'any' || methods.includes(method === 'HEAD' ? 'GET' : method);
}

function matchOf(one: Bound, probe: Probe, times: FileTimes): Match {
  return { tag: one.definition.tag, answer: () => answer(one, probe, times) };
}

/** Of an archive, one character for each byte. */
function render({ definition, content }: Bound, probe: Probe, times: FileTimes): Rendered {
  const { body, packed } = content();
  if (!definition.archive) return body.render(probe);
  const files = packed.map(([name, template]) => ({ name, ...template.render(probe) }));
  const { ms } = times.of(probe.path, probe.day);
  return {
    text: binaryFile(definition.archive.form, files, ms).toString('latin1'),
    honeytokens: files.reduce((total, file) => total + file.honeytokens, 0),
  };
}

function answer(one: Bound, probe: Probe, times: FileTimes): Answer {
  const { definition } = one;
  const { text, honeytokens } = render(one, probe, times);
  const given = one
    .content()
    .headers.map(([name, value]) => [name, value.render(probe).text] as const);
  const type = given.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (definition.isFile) {
    const further = given.filter(([name]) => name.toLowerCase() !== 'content-type').flat();
    const sort = type ?? typeOfPath(probe.path);
    const file = fileAnswer(probe, times, {
      body: text,
      type: sort,
      honeytokens,
      headers: further,
    });
    return definition.archive ? { ...file, isBinary: true } : file;
  }
  const all = type === undefined ? [['Content-Type', typeOfPath(probe.path)] as const] : [];
  return {
    status: definition.status,
    headers: text === '' ? given.flat() : [...all, ...given].flat(),
    body: text,
    honeytokens,
  };
}
