/**
 * Company names composed of sounds, as brands are. Prevents fingerprinting by a list of names: there are
 * more than a hundred million.
 */
import type { Draw } from './draw.ts';

const ONSETS =
  'b bl br c cl cr d dr f fl fr g gl gr h j k kl kr l m n p pl pr qu r s sc sh sk sl sm sn sp st str sw t th tr v w wh y z';
const VOWELS = 'a a a e e e i i o o o u ai ea ee ie io oa oo ou';
const CODAS = 'b ck d g k l ld lk ll lt m mp n nd ng nk nt p r rd rk rl rn rt s sk ss st t x';
const ENDINGS =
  'a an ara ard as ax el en ent er era ex ey ia ic ica ik in io ion is ita ix o on or os ova um us y yn';
const LINKS = ['', '', 'l', 'm', 'n', 'r', 's', 't', 'v'];

/** One word of 5 to 13 letters. */
export function drawCompany(draw: Draw, which = 'company'): string {
  for (let attempt = 0; ; attempt++) {
    const pick = (what: string, from: string) =>
      draw.pick(`${which} ${what} ${attempt}`, from.split(' '));
    const parts = [
      pick('onset', ONSETS) + pick('vowel', VOWELS),
      draw.number(`${which} coda ${attempt}`, 2) === 0 ? pick('coda 1', CODAS) : '',
      draw.pick(`${which} link ${attempt}`, LINKS),
      draw.number(`${which} length ${attempt}`, 3) > 0 ? pick('vowel 2', VOWELS) : '',
      pick('coda 2', CODAS),
      pick('ending', ENDINGS),
    ];
    const name = parts.join('');
    if (name.length >= 5 && name.length <= 13 && !/(.)\1\1|[^aeiouy]{5}|[aeiou]{4}/.test(name)) {
      return name;
    }
  }
}
