/** `vault_create`: the conventions and first notes of each layout. */

export const LAYOUTS = ['empty', 'wiki', 'zettelkasten', 'para'] as const;

export type Layout = (typeof LAYOUTS)[number];

export interface LayoutFiles {
  /** The text of `.notes/instructions.md`. */
  readonly instructions: string;
  /** The first notes by path. */
  readonly notes: Readonly<Record<string, string>>;
}

export const layouts: Readonly<Record<Layout, LayoutFiles>> = {
  empty: {
    instructions: `# Conventions

One idea a note. Link notes with [[name]]. Search before you create.
`,
    notes: {},
  },
  wiki: {
    instructions: `# Conventions

This vault is a wiki: one note a topic, named after it, in the folder of its subject.
Search before you create, and extend the note there is. Link the first mention of every topic
that has a note with [[name]]. Every new note is linked from index.md or from a note it links.
Unsorted captures go to inbox.md.
`,
    notes: {
      'index.md': '# Index\n\nThe way in. Link every subject from here.\n',
      'inbox.md': '# Inbox\n\nWhat has not found its place yet.\n',
    },
  },
  zettelkasten: {
    instructions: `# Conventions

This vault is a Zettelkasten. A note in notes/ holds one idea in your own words, with a title that
states it, and links to the notes it follows from and why. What comes from a source is a note in
literature/, named after the source. Quick captures go to inbox.md and leave it when worked out.
index.md names where trains of thought begin. Tags are few; links are many.
`,
    notes: {
      'index.md': '# Index\n\nWhere trains of thought begin.\n',
      'inbox.md': '# Inbox\n\nCaptures to be worked out.\n',
      'notes/start.md':
        '# A note holds one idea\n\nIts title states it. It links to what it follows from.\n',
      'literature/start.md': '# A source has a note of its own\n\nWhat it says, and where.\n',
    },
  },
  para: {
    instructions: `# Conventions

This vault has four folders. projects/: work with an end, one note or folder each, with its open
tasks. areas/: what is looked after without an end. resources/: what may be of use. archive/: what
of the three is over; move it there with note_move, do not delete it. Captures go to inbox.md and
are filed at the weekly review.
`,
    notes: {
      'inbox.md': '# Inbox\n\nCaptures to be filed.\n',
      'projects/index.md': '# Projects\n\nWork with an end.\n',
      'areas/index.md': '# Areas\n\nWhat is looked after without an end.\n',
      'resources/index.md': '# Resources\n\nWhat may be of use.\n',
      'archive/index.md': '# Archive\n\nWhat is over.\n',
    },
  },
};
