/** The letter of a class such as `\d`; in upper case, all other characters. */
export type ClassLetter = 'd' | 'w' | 's' | 'D' | 'W' | 'S';

/** A range of characters, both ends included, or a class such as `\d`. */
export type ClassItem = { readonly from: string; readonly to: string } | { readonly class: ClassLetter };

/** A part of a regular expression. */
export type RegexpNode =
  | { readonly kind: 'character'; readonly character: string }
  /** `.` */
  | { readonly kind: 'any' }
  /** `@`: any text. */
  | { readonly kind: 'anything' }
  /** `#`: no text, not even the empty one. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly items: readonly ClassItem[] }
  /** `<from-to>`: a whole number with `width` digits or, with a width of 0, any leading zeros. */
  | { readonly kind: 'interval'; readonly from: number; readonly to: number; readonly width: number }
  /** Without `max`, any number of times. */
  | { readonly kind: 'repeat'; readonly of: RegexpNode; readonly min: number; readonly max?: number }
  /** Content of brackets or quotation marks. */
  | { readonly kind: 'group'; readonly of: RegexpNode }
  | { readonly kind: 'sequence'; readonly of: readonly RegexpNode[] }
  | { readonly kind: 'union'; readonly of: readonly RegexpNode[] };

/** Expressions that a whole text must all match (or must not match, for `opposite`). There is at least one. */
export type Regexp = readonly { readonly of: RegexpNode; readonly opposite: boolean }[];
