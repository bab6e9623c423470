export interface Announced {
  readonly target: string;
  readonly method: string;
  readonly place: string;
  readonly url: string;
}
export type Announce = (about: Announced) => void;
