/** The people of a persona: the same person has the same name, address and hash in every answer. */
import type { Draw } from './draw.ts';

export interface Person {
  readonly name: string;
  readonly user: string;
  readonly email: string;
  /** As bcrypt writes it. */
  readonly hash: string;
}

const FIRST =
  'Aaron Adam Alice Amir Ana Andrea Anna Arjun Ben Carla Carlos Chen Clara Daniel David Deepa Diego Elena ' +
  'Emily Emma Eric Eva Fatima Felix Frank Grace Hana Hannah Hugo Ines Ivan Jack James Jan Jane Jing Joao John ' +
  'Jonas Jose Julia Karen Karim Kate Kevin Laura Lea Leon Linda Lisa Lucas Luis Maria Mark Marta Mary Max Mei ' +
  'Michael Mina Nadia Nick Nina Noah Olga Oliver Omar Paul Pedro Peter Petra Priya Rahul Raj Rosa Ryan Sam Sara ' +
  'Sean Simon Sofia Sven Tariq Thomas Tim Tom Vera Victor Wei Yuki Zoe';
const LAST =
  'Adams Ahmed Alvarez Andersson Bauer Becker Bell Berg Brown Campbell Carter Castro Chan Chen Clark Costa Cruz ' +
  'Davies Diaz Dubois Evans Ferrari Fischer Flores Garcia Gomez Gupta Haas Hall Hansen Harris Hill Ito Ivanov ' +
  'Jackson Jansen Jensen Johnson Jones Kaur Keller Khan Kim King Klein Kowalski Kumar Lang Larsen Lee Lewis Li ' +
  'Lopez Martin Meyer Miller Mohamed Moore Moreau Morgan Mueller Murphy Nguyen Nielsen Novak Olsen Park Patel ' +
  'Perez Peters Popov Ramirez Reed Reyes Richter Rivera Roberts Rossi Ruiz Santos Schmidt Schulz Scott Sharma ' +
  'Silva Singh Smith Sousa Suzuki Tanaka Taylor Thomas Torres Turner Vargas Vogel Wagner Walker Wang Weber White ' +
  'Williams Wilson Wong Wright Yamamoto Yang Young Zhang';
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function drawPerson(draw: Draw, which: string, domain: string): Person {
  const first = draw.pick(`${which} first name`, FIRST.split(' '));
  const last = draw.pick(`${which} last name`, LAST.split(' '));
  const forms = [`${first}.${last}`, `${first[0]}${last}`, `${first}${last[0]}`];
  const user = draw.pick('form of user names', forms).toLowerCase();
  return {
    name: `${first} ${last}`,
    user,
    email: `${user}@${domain}`,
    hash: passwordHash(draw, `password of ${which}`),
  };
}

/** Sixty characters as bcrypt writes them, down to the bits that are always zero. */
export function passwordHash(draw: Draw, label: string): string {
  const bytes = draw.bytes(label);
  return `$2b$12$${bcryptBase64(bytes.subarray(0, 16))}${bcryptBase64(bytes.subarray(16, 39))}`;
}

function bcryptBase64(bytes: Uint8Array): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 6) {
    const at = bit >> 3;
    const pair = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
    text += BCRYPT_ALPHABET[(pair >> (10 - (bit & 7))) & 63];
  }
  return text;
}
