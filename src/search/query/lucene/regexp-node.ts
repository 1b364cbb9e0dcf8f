/** Characters from one to another, both included, or those that `\d`, `\w` or `\s` stands for. */
export type ClassItem = { readonly from: string; readonly to: string } | { readonly class: 'd' | 'w' | 's' };

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
  /** `<from-to>`: a whole number, of so many digits, or, with a width of 0, behind any zeros. */
  | { readonly kind: 'interval'; readonly from: number; readonly to: number; readonly width: number }
  /** Without `most` any number of times. */
  | { readonly kind: 'repeat'; readonly of: RegexpNode; readonly min: number; readonly max?: number }
  /** What brackets or quotation marks hold together. */
  | { readonly kind: 'group'; readonly of: RegexpNode }
  | { readonly kind: 'sequence'; readonly of: readonly RegexpNode[] }
  | { readonly kind: 'union'; readonly of: readonly RegexpNode[] };

/** Expressions that a text as a whole must all match, or must not. There is one at least. */
export type Regexp = readonly { readonly of: RegexpNode; readonly opposite: boolean }[];
