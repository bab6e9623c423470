/**
 * JSON Schema for tools: one definition gives the type of the arguments, the schema on the wire and
 * what `check.ts` checks. Names and JSON are those of TypeBox, which itself costs 25 MB of memory and
 * a tenth of a second at the start.
 */
declare const STATIC: unique symbol;
const OPTIONAL: unique symbol = Symbol('optional');

/** A schema that describes values of type T. */
export interface Schema<T = unknown> {
  readonly [STATIC]?: T;
  readonly [OPTIONAL]?: true;
  readonly type?: string;
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export type Static<S extends Schema> = S extends Schema<infer T> ? T : never;

export interface OptionalSchema<T> extends Schema<T> {
  readonly [OPTIONAL]: true;
}

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly [extension: `x-${string}`]: unknown;
}
type Limits<K extends keyof Schema> = Described & Pick<Schema, K>;
type Properties = Readonly<Record<string, Schema>>;

type OptionalKeys<P extends Properties> = {
  [K in keyof P]: P[K] extends OptionalSchema<unknown> ? K : never;
}[keyof P];

type ObjectOf<P extends Properties> = Simplify<
  { readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
    readonly [K in OptionalKeys<P>]?: Static<P[K]>;
  }
>;
type Simplify<T> = { [K in keyof T]: T[K] };

export const Type = {
  String: (limits: Limits<'minLength' | 'maxLength' | 'pattern'> = {}): Schema<string> => ({
    type: 'string',
    ...limits,
  }),
  Number: (limits: Limits<'minimum' | 'maximum'> = {}): Schema<number> => ({
    type: 'number',
    ...limits,
  }),
  Integer: (limits: Limits<'minimum' | 'maximum'> = {}): Schema<number> => ({
    type: 'integer',
    ...limits,
  }),
  Boolean: (described: Described = {}): Schema<boolean> => ({ type: 'boolean', ...described }),
  Null: (): Schema<null> => ({ type: 'null' }),

  Literal: <const V extends string | number | boolean>(value: V): Schema<V> => ({
    type: typeof value,
    const: value,
  }),

  /** One of a few texts; shorter on the wire than a union of literals. */
  Enum: <const V extends string>(values: readonly V[], described: Described = {}): Schema<V> => ({
    type: 'string',
    enum: values,
    ...described,
  }),

  Union: <const U extends readonly Schema[]>(
    anyOf: U,
    described: Described = {},
  ): Schema<Static<U[number]>> => ({ anyOf, ...described }),

  Array: <S extends Schema>(
    items: S,
    limits: Limits<'minItems' | 'maxItems'> = {},
  ): Schema<readonly Static<S>[]> => ({ type: 'array', items, ...limits }),

  /** Free names, all values alike. */
  Record: <S extends Schema>(
    _names: Schema<string>,
    values: S,
    described: Described = {},
  ): Schema<Readonly<Record<string, Static<S>>>> => ({
    type: 'object',
    additionalProperties: values,
    ...described,
  }),

  Object: <const P extends Properties>(
    properties: P,
    limits: Limits<'additionalProperties'> = {},
  ): Schema<ObjectOf<P>> => {
    const required = Object.keys(properties).filter((name) => !properties[name]![OPTIONAL]);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties,
      ...limits,
    } as Schema<ObjectOf<P>>;
  },

  Optional: <S extends Schema>(schema: S): OptionalSchema<Static<S>> =>
    ({ ...schema, [OPTIONAL]: true }) as unknown as OptionalSchema<Static<S>>,
};
