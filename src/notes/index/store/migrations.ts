/** From an empty index to the newest version, one step after the other. */
export interface Migration {
  readonly sql: string;
  /** The files must be read again, because the migration cannot know what the new columns hold. */
  readonly needsReindexing: boolean;
}

export const migrations: readonly Migration[] = [
  {
    needsReindexing: true,
    sql: `
      CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        depth INTEGER NOT NULL,
        size INTEGER NOT NULL,
        mtime_ms INTEGER NOT NULL,
        indexed_ms INTEGER NOT NULL,
        words INTEGER NOT NULL DEFAULT 0,
        title TEXT NOT NULL DEFAULT '',
        hash TEXT,
        body_hash TEXT,
        problem TEXT,
        skipped TEXT
      );
      CREATE INDEX files_by_body ON files (body_hash) WHERE body_hash IS NOT NULL;
      CREATE TABLE names (
        key TEXT NOT NULL,
        file INTEGER NOT NULL,
        via INTEGER NOT NULL,
        PRIMARY KEY (key, file, via)
      ) WITHOUT ROWID;
      CREATE INDEX names_by_file ON names (file);
      CREATE TABLE sections (
        id INTEGER PRIMARY KEY,
        line INTEGER NOT NULL,
        heading_path TEXT NOT NULL,
        body_start INTEGER NOT NULL,
        text TEXT NOT NULL
      );
      CREATE TABLE links (
        source INTEGER NOT NULL,
        place INTEGER NOT NULL,
        line INTEGER NOT NULL,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        anchor TEXT,
        key TEXT NOT NULL,
        destination INTEGER,
        ambiguous INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (source, place)
      ) WITHOUT ROWID;
      CREATE INDEX links_by_key ON links (key);
      CREATE INDEX links_by_destination ON links (destination, source);
      CREATE TABLE tags (
        file INTEGER NOT NULL,
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (file, key)
      ) WITHOUT ROWID;
      CREATE INDEX tags_by_key ON tags (key, name);
      CREATE TABLE tasks (
        file INTEGER NOT NULL,
        line INTEGER NOT NULL,
        done INTEGER NOT NULL,
        text TEXT NOT NULL,
        due TEXT,
        PRIMARY KEY (file, line)
      ) WITHOUT ROWID;
      CREATE TABLE properties (
        file INTEGER NOT NULL,
        key TEXT NOT NULL,
        place INTEGER NOT NULL,
        text TEXT NOT NULL,
        number REAL,
        PRIMARY KEY (file, key, place)
      ) WITHOUT ROWID;
      CREATE VIRTUAL TABLE sections_fts USING fts5 (
        title, heading, body,
        content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
      );
      CREATE VIRTUAL TABLE titles_fts USING fts5 (
        names,
        content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
      );
      INSERT INTO sections_fts (sections_fts, rank) VALUES ('hashsize', 8000000);
    `,
  },
  {
    needsReindexing: false,
    sql: `
      CREATE INDEX files_by_kind ON files (kind, depth, words, size, skipped);
      CREATE INDEX files_read ON files (kind) WHERE kind = 'note' AND skipped IS NULL;
      CREATE INDEX files_skipped ON files (path) WHERE skipped IS NOT NULL;
    `,
  },
  {
    needsReindexing: false,
    sql: `
      DROP INDEX files_read;
      ALTER TABLE files ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;
      UPDATE files SET linked = 1 WHERE id IN (
        SELECT source FROM links WHERE destination <> source
        UNION SELECT destination FROM links WHERE destination <> source
      );
      CREATE INDEX files_orphaned ON files (path)
        WHERE kind = 'note' AND skipped IS NULL AND linked = 0;
    `,
  },
  {
    // An index by kind that is not in the order of paths is taken by lists, too, which sort then.
    needsReindexing: false,
    sql: `
      DROP INDEX files_by_kind;
      CREATE INDEX files_by_kind ON files (kind, path);
      CREATE INDEX files_counted ON files (depth, kind, words, size);
    `,
  },
  {
    // Sections had other ids before, and the vowels of Indian scripts, which are marks, cut words.
    needsReindexing: true,
    sql: `
      DELETE FROM sections;
      DROP TABLE sections_fts;
      DROP TABLE titles_fts;
      CREATE VIRTUAL TABLE sections_fts USING fts5 (
        title, heading, body, content = '', contentless_delete = 1,
        tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
      );
      CREATE VIRTUAL TABLE titles_fts USING fts5 (
        names, content = '', contentless_delete = 1,
        tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
      );
      INSERT INTO sections_fts (sections_fts, rank) VALUES ('hashsize', 8000000);
    `,
  },
  {
    // Words are found by their stems. A row is deleted from FTS5 by its text, so that it
    // counts sections and words right, which tables with contentless_delete do not.
    needsReindexing: true,
    sql: `
      DELETE FROM sections;
      DROP TABLE sections_fts;
      DROP TABLE titles_fts;
      CREATE VIRTUAL TABLE sections_fts USING fts5 (
        title, heading, body, parts, content = '',
        tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
      );
      CREATE VIRTUAL TABLE titles_fts USING fts5 (
        names, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
      );
      INSERT INTO sections_fts (sections_fts, rank) VALUES ('hashsize', 8000000);
    `,
  },
  {
    // Vectors are named by their text, so that they outlive the ids of notes and sections.
    needsReindexing: false,
    sql: `
      CREATE TABLE vector_models (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        dimensions INTEGER NOT NULL,
        source TEXT NOT NULL,
        UNIQUE (name, dimensions)
      );
      CREATE TABLE vectors (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        model INTEGER NOT NULL,
        text_hash BLOB NOT NULL,
        vector BLOB NOT NULL,
        UNIQUE (model, text_hash)
      );
      CREATE TABLE section_texts (section INTEGER PRIMARY KEY, text_hash BLOB NOT NULL);
      CREATE INDEX section_texts_by_hash ON section_texts (text_hash);
      CREATE TABLE embedded_notes (note INTEGER PRIMARY KEY, version TEXT NOT NULL);
    `,
  },
  {
    // Stems of other languages than English, and more parts of compound words. Rows with other
    // words than are computed now cannot be deleted from the full-text index, so it begins empty.
    needsReindexing: true,
    sql: `
      ALTER TABLE files ADD COLUMN language TEXT;
      CREATE INDEX files_by_language ON files (language) WHERE language IS NOT NULL;
      DELETE FROM sections;
      DELETE FROM section_texts;
      DELETE FROM embedded_notes;
      DROP TABLE sections_fts;
      CREATE VIRTUAL TABLE sections_fts USING fts5 (
        title, heading, body, parts, content = '',
        tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
      );
      INSERT INTO sections_fts (sections_fts, rank) VALUES ('hashsize', 8000000);
    `,
  },
  {
    needsReindexing: true,
    sql: `
      ALTER TABLE tasks ADD COLUMN state TEXT NOT NULL DEFAULT ' ';
      ALTER TABLE properties ADD COLUMN shown TEXT;
      DROP TABLE names;
      CREATE TABLE names (key TEXT NOT NULL, file INTEGER NOT NULL, via INTEGER NOT NULL,
        whole TEXT NOT NULL DEFAULT '', PRIMARY KEY (key, file, via, whole)) WITHOUT ROWID;
      CREATE INDEX names_by_file ON names (file);
    `,
  },
  {
    // Aliases and tags of Logseq that end in a letter such as "à" are read whole, and other parts of a
    // section are embedded than before.
    needsReindexing: true,
    sql: `
      DELETE FROM section_texts;
      DELETE FROM embedded_notes;
    `,
  },
];
