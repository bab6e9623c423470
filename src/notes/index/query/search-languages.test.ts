import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { readLanguage } from '../content/note-language.ts';
import { search } from './search.ts';

const NOTES = {
  'de.md': '# Umzug\n\nDie Möbelpacker haben das Sofa nicht durch die Tür in den Flur bekommen.',
  'de2.md': '# Flure\n\nIn den Fluren ist es dunkel, und das Licht der Lampen wird nicht heller.',
  'fr.md': '# Recettes\n\nLes champignons sont dans le panier avec les châtaignes que nous aimons.',
  'ru.md': '# Сад\n\nВ саду растут яблони, и на них не было яблок, но как это вышло, мы не знаем.',
  'es.md': '# Viajes\n\nEl tren de las montañas no se detiene en los pueblos por la nieve que hay.',
  'en.md':
    '# Garden\n\nThe apples of the trees in the garden were not ripe, and this is how it is.',
};

const FOUND = [
  ['Türen', 'de.md', 'German'],
  ['châtaigne', 'fr.md', 'French'],
  ['chataigne', 'fr.md', 'French without its accents'],
  ['яблоня', 'ru.md', 'Russian'],
  ['montaña', 'es.md', 'Spanish'],
  ['apple', 'en.md', 'English'],
] as const;

describe('words of other languages than English', () => {
  for (const [query, path, language] of FOUND) {
    test(`another form of a word finds it: ${language}`, () => {
      const { sql } = memoryIndex(NOTES);
      assert.deepEqual(
        search(sql, { query }).items.map((hit) => hit.path),
        [path],
      );
    });
  }

  test('the very form ranks above another of the same stem', () => {
    const other = (form: string) => `Das ist der Raum, und ${form} ist nicht zu sehen.`;
    const { sql } = memoryIndex({ 'a.md': other('Lampe'), 'b.md': other('Lampen') });
    const first = (query: string) => search(sql, { query }).items.map(({ path }) => path);
    assert.deepEqual(first('Lampe'), ['a.md', 'b.md']);
    assert.deepEqual(first('Lampen'), ['b.md', 'a.md']);
  });

  test('what is quoted is found in its very form only', () => {
    const { sql } = memoryIndex(NOTES);
    assert.deepEqual(search(sql, { query: '"Türen"' }).items, []);
  });

  test('a note whose language changes is forgotten in the words of the former', () => {
    const { sql, put } = memoryIndex(NOTES);
    put('de.md', 'The sofa is in the garden, and this is not how it was to be.');
    put('de2.md', '');
    assert.deepEqual(search(sql, { query: 'Türen', mode: 'any' }).items, []);
    assert.equal(sql.get<{ n: number }>('SELECT count(language) AS n FROM files')?.n, 3);
  });
});

const LANGUAGES = [
  [NOTES['de.md'], 'german'],
  [NOTES['fr.md'], 'french'],
  [NOTES['ru.md'], 'russian'],
  [NOTES['es.md'], 'spanish'],
  [NOTES['en.md'], undefined],
  ['Het is de trein van het dorp en een man die niet op de fiets zit.', 'dutch'],
  ['Il treno è per la città, e non si ferma nel paese della neve.', 'italian'],
  ['O comboio não é para a cidade, mas uma linha que vai com os homens.', 'portuguese'],
  ['Tåget är inte för byn, och det som finns på stationen är en klocka.', 'swedish'],
  ['Juna ei ole kylässä, mutta se on asemalla ja kello on kun se tulee.', 'finnish'],
  ['東京に行きました。', undefined],
  ['', undefined],
  ['der', undefined],
  ['der1und2die', 'german'],
  ['derder unddie dieder', undefined],
  [`${'und der die '.repeat(5)}${'word '.repeat(900)}`, undefined],
] as const;

for (const [text, language] of LANGUAGES) {
  test(`the language of ${JSON.stringify(text.slice(0, 30))} is ${language ?? 'not guessed'}`, () => {
    assert.equal(readLanguage(text), language);
  });
}
