import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

const MAX_STATEMENTS = 300;

/** A connection with a cache of prepared statements. */
export class Sql {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** Rows as arrays, which is faster for many rows. */
  lists<Row extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql, true).all(...values) as unknown as Row[];
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  each<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    return this.#prepared(sql).iterate(...values) as IterableIterator<Row>;
  }

  /** Uses `get`, because `run` allocates a result object. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).get(...values);
  }

  /** Returns the id of the new row. */
  insert(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).lastInsertRowid);
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }

  #prepared(sql: string, asLists = false): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.database.prepare(sql);
      if (asLists) statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
