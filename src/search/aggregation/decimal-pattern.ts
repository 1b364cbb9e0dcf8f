/** Text around a number. */
interface Affixes {
  readonly before: string;
  readonly after: string;
}

/** Minimum and maximum number of digits of a part of a number. */
interface Digits {
  readonly least: number;
  readonly most: number;
}

/** A parsed decimal pattern of Java. */
export interface Pattern {
  readonly positive: Affixes;
  readonly negative: Affixes;
  /** 100 for percents, 1000 for per mille. */
  readonly scale: number;
  /** Digits before the point. The maximum applies only to numbers with an exponent. */
  readonly whole: Digits;
  readonly fraction: Digits;
  /** Number of digits between commas; 0 for no commas. */
  readonly grouping: number;
  /** Whether the point is shown even if no digit follows. */
  readonly alwaysPoint: boolean;
  /** Minimum number of digits of an exponent; undefined for numbers without one. */
  readonly exponentDigits: number | undefined;
}

/** Maximum number of digits that a pattern may request on either side of the point: the limit of Intl.NumberFormat. */
const maxDigits = 100;
/** Default maximum number of digits after the point: all that a double has. */
const allDigits = 340;

/** Parses a pattern in one pass over its characters. Returns undefined for a malformed one. */
export const decimalPattern = (pattern: string): Pattern | undefined => {
  if (pattern === '') {
    return {
      ...signs(none, none),
      scale: 1,
      whole: { least: 0, most: 0 },
      fraction: { least: 0, most: allDigits },
      ...plain,
    };
  }
  const reader = new PatternReader(pattern);
  const own = reader.part(false);
  if (own === undefined) return undefined;
  const other = reader.ended ? own : reader.part(true);
  const number = numberOf(own.counted);
  return other && number && { ...signs(own.affixes, other.affixes), scale: own.scale, ...number };
};

const none = { before: '', after: '' } as const;
const plain = { grouping: 3, alwaysPoint: false, exponentDigits: undefined } as const;

/** Adds the affixes of negative numbers: a minus, unless the pattern has affixes for them. */
const signs = (positive: Affixes, other: Affixes): Pick<Pattern, 'positive' | 'negative'> => {
  const isOwn = other.before !== positive.before || other.after !== positive.after;
  return { positive, negative: isOwn ? other : { before: `-${positive.before}`, after: positive.after } };
};

/**
 * Counts of the characters of the number in a pattern: `#` before and after its zeros, the zeros, and the position of
 * the point.
 */
interface Counted {
  left: number;
  zeros: number;
  right: number;
  pointAt: number;
  grouping: number;
  exponentDigits: number | undefined;
}

/** Interprets the counts. Returns undefined for an invalid combination. */
const numberOf = ({ left, zeros, right, pointAt, grouping, exponentDigits }: Counted) => {
  const total = left + zeros + right;
  const hasPoint = pointAt >= 0;
  if (hasPoint ? pointAt < left || pointAt > left + zeros : right > 0) return undefined;
  if (grouping === 0) return undefined;
  const end = hasPoint ? pointAt : total;
  const least = end - left;
  const fraction = { least: hasPoint ? left + zeros - pointAt : 0, most: hasPoint ? total - pointAt : 0 };
  if (least > maxDigits || fraction.most > maxDigits || (exponentDigits ?? 0) > maxDigits) return undefined;
  return {
    whole: { least, most: left + least },
    fraction,
    grouping: Math.max(0, grouping),
    alwaysPoint: hasPoint && (pointAt === 0 || pointAt === total),
    exponentDigits,
  };
};

const inNumber = '#0,.';

class PatternReader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  get ended(): boolean {
    return this.at >= this.pattern.length;
  }

  /**
   * Parses one part of `positive;negative`. The number in the second part is skipped. Returns undefined if it is
   * malformed.
   */
  part(isNegative: boolean): { affixes: Affixes; scale: number; counted: Counted } | undefined {
    const counted: Counted = { left: 0, zeros: 0, right: 0, pointAt: -1, grouping: -1, exponentDigits: undefined };
    const affixes = { before: '', after: '' };
    let side: keyof Affixes = 'before';
    let scale = 1;
    while (!this.ended) {
      const character = this.pattern[this.at]!;
      if (inNumber.includes(character)) {
        if (isNegative) this.skipNumber();
        else if (!this.number(counted)) return undefined;
        side = 'after';
      } else if (character === ';') {
        if (side === 'before' || isNegative) return undefined;
        this.at += 1;
        break;
      } else if (character === "'") {
        const text = this.quoted();
        if (text === undefined) return undefined;
        affixes[side] += text;
      } else {
        if (character === '%' || character === '‰') {
          if (scale !== 1) return undefined;
          scale = character === '%' ? 100 : 1000;
        }
        affixes[side] += character;
        this.at += 1;
      }
    }
    // `#.##` means `0.##`, and `.##` means `.0#`.
    if (counted.zeros === 0 && counted.left > 0 && counted.pointAt >= 0) {
      const point = Math.max(1, counted.pointAt);
      Object.assign(counted, { left: point - 1, zeros: 1, right: counted.left - point });
    }
    return { affixes, scale, counted };
  }

  /** Counts the characters of a number. Returns false if one is at an invalid position. */
  private number(counted: Counted): boolean {
    for (; !this.ended; this.at += 1) {
      const character = this.pattern[this.at]!;
      if (character === 'E') return this.exponent(counted);
      if (!inNumber.includes(character)) return true;
      if (character === ',') counted.grouping = 0;
      else if (character === '.') {
        if (counted.pointAt >= 0) return false;
        counted.pointAt = counted.left + counted.zeros + counted.right;
      } else {
        if (counted.grouping >= 0 && counted.pointAt < 0) counted.grouping += 1;
        if (character === '0') {
          if (counted.right > 0) return false;
          counted.zeros += 1;
        } else if (counted.zeros > 0) counted.right += 1;
        else counted.left += 1;
      }
    }
    return true;
  }

  private exponent(counted: Counted): boolean {
    const start = this.at + 1;
    this.at = start;
    while (this.pattern[this.at] === '0') this.at += 1;
    if (counted.exponentDigits !== undefined || counted.left + counted.zeros < 1 || this.at === start) return false;
    counted.exponentDigits = this.at - start;
    return true;
  }

  private skipNumber(): void {
    while (!this.ended && `${inNumber}E`.includes(this.pattern[this.at]!)) this.at += 1;
  }

  /** Parses text in quotes, in which two quotes mean one. Returns undefined if the quotes are not closed. */
  private quoted(): string | undefined {
    if (this.pattern[this.at + 1] === "'") {
      this.at += 2;
      return "'";
    }
    let text = '';
    for (this.at += 1; !this.ended; this.at += 1) {
      const character = this.pattern[this.at]!;
      if (character !== "'") text += character;
      else if (this.pattern[this.at + 1] === "'") {
        text += "'";
        this.at += 1;
      } else {
        this.at += 1;
        return text;
      }
    }
    return undefined;
  }
}
