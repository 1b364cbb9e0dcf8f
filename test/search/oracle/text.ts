import type { Dice } from './dice.js';
import { zone } from './value.js';

/** A pattern of `wildcard`. */
export const wildcard = (dice: Dice): string =>
  dice.pick('a*', '?b?', '*', 'a\\%*', 'y?z', '*é', 'a%*', 'A?C', '', '?', 'LO*a', '\\*', 'a_c', '*o*', 'z?rich', '\\');

/** A pattern of `regexp`, sometimes an invalid one. */
export const regexp = (dice: Dice): string =>
  dice.pick(
    'ab[cd]',
    'a.*',
    '^abc$',
    '(x|y z)',
    '[a-z]+',
    'ab{1,2}c',
    '"a%b"',
    '.',
    '@',
    '[^a]*',
    'a.c|x',
    'l(o|a)+ra',
    '\\w+',
    '\\d\\d',
    'Z.rich',
    '.{3}',
    '',
    'ro{1,}f',
    '[A-C]*',
    '#',
    'abc&abd',
    '<1-10>',
    '~abc',
    'a.{0,2}',
    '(',
    '[',
    'a{2',
    'x**',
    '\\',
    '[\\D]+',
    '[^\\W]+',
    '[\\s\\S]',
    'ab\\c|a\\n',
    'abc|',
    '|abc',
    '*abc|x||y',
    '[a-]bc',
    'x|abc&abd',
    '&abc',
  );

/** Options of `multi_match`. OpenSearch never answers `cross_fields` on fields that are not text. */
export const multiMatch = (dice: Dice): object => ({
  query: dice.pick<unknown>('abc', 'lora', 1, 'x', '1.5', true),
  fields: dice.list(
    dice.some(1, 3, () =>
      dice.pick('data.txt', 'metadata.*', 'data.n', 'data.*', 'device.name^3', 'metadata.provider'),
    ),
  ),
  ...dice.maybe(0.7, () => ({ lenient: true })),
  ...dice.maybe(0.3, () => ({
    type: dice.pick('best_fields', 'most_fields', 'phrase', 'bool_prefix'),
  })),
  ...dice.maybe(0.1, () => ({ operator: 'and' })),
});

/** Options of `query_string`. */
export const queryString = (dice: Dice): object => ({
  query: lucene(dice),
  ...dice.maybe(0.25, () => ({ default_operator: dice.pick('AND', 'and', 'OR') })),
  ...dice.one<object>(
    () => ({}),
    () => ({}),
    () => ({ default_field: dice.pick('data.txt', 'data.n', '*', 'ts', 'data.*', 'data.on', 'device.tags', 'nope') }),
    () => ({
      fields: dice.pick(
        ['data.txt', 'metadata.provider'],
        ['data.*'],
        ['data.txt^2'],
        ['data.txt', 'data.n'],
        ['device.name', 'data.w^3'],
        ['*'],
        ['ts', 'data.txt'],
        ['nope', 'data.txt'],
        ['nope'],
        [],
      ),
    }),
  ),
  ...dice.maybe(0.2, () => ({ analyze_wildcard: true })),
  ...dice.maybe(0.15, () => ({ lenient: dice.chance(0.7) })),
  // OpenSearch never answers `cross_fields` on fields that are not text.
  ...dice.maybe(0.1, () => ({ type: dice.pick('best_fields', 'most_fields', 'phrase', 'bool_prefix') })),
  ...dice.maybe(0.05, () => ({ time_zone: zone(dice) })),
  ...dice.maybe(0.05, () => ({ minimum_should_match: dice.pick<unknown>(1, 2, '50%') })),
});

const lucene = (dice: Dice): string => {
  const term = (): string =>
    dice.pick(
      'data.txt:abc',
      'data.n:>=2',
      'data.t:[1 TO 20.5}',
      'metadata.provider:(lora OR wifi)',
      '_exists_:data.on',
      'data.txt:a*',
      'data.txt:/ab[cd]/',
      'data.txt:"y z"',
      'abc',
      'data.n:{* TO 4]',
      'data.on:true',
      '*',
      '*:*',
      'data.n:<10',
      'data.txt:y\\ z',
      'device.name:(north -South)',
      'data.txt:*',
      'ts:[2026-03-29 TO 2026-10-25]',
      'ts:2026-03-29',
      'ts:>2026-10',
      'data.\\*:abc',
      'metadata.provider:l?ra',
      'lora',
      '(abc OR data.n:1)',
      '!data.txt:abc',
      'data.txt:abc^2',
      'nope:1',
      'data.n:abc',
      'data.t:-3',
      'data.t:\\-3',
      'data.txt:[a TO b]',
      'data.w:(+red)',
      'data.k:255',
    );
  const word = (): string =>
    dice.pick(
      'abc',
      'y',
      'z',
      'y',
      'z',
      'x',
      'lora',
      'sigfox',
      'red',
      'roof',
      'north',
      '1',
      '255',
      '>abc',
      '>=1',
      '<z',
      'été',
      'a*',
      '10',
    );
  const words = (): string => dice.some(1, 4, word).join(dice.pick(' ', ' ', '  ', '\t', '\u3000'));
  if (dice.chance(0.25)) {
    const part = () =>
      dice.one(
        words,
        words,
        () => `(${words()})`,
        () =>
          `${dice.pick('data.txt', 'data.n', 'metadata.provider', 'data.w', 'device.tags', 'data.on')}:(${words()})`,
        () => `${dice.pick('data.txt', 'metadata.provider', 'data.k')}:${words()}`,
        () => `${dice.pick('+', '-', '!', 'NOT ', '- ', '+ ', '! ', '&&', '||')}${words()}`,
        () => `"${words()}"`,
        () => `${words()}${dice.pick('^2', '*', '?', '^2.5')}`,
        term,
      );
    const glue = () => dice.pick(' ', ' ', ' ', ' AND ', ' OR ', ' NOT ', ' && ', ' || ', ' AND NOT ', ' OR +');
    return dice.some(0, 2, () => `${part()}${glue()}`).join('') + part();
  }
  if (dice.chance(0.06))
    return dice.pick(
      '',
      'NOT NOT abc',
      '!!abc',
      '-+abc',
      '+-abc',
      'NOT -abc',
      'AND abc',
      'abc AND AND x',
      'abc AND OR x',
      'abc OR',
      'abc -',
      'abc NOT',
      '-',
      '()',
      'data.txt:()',
      'abc^',
      'abc^2^3',
      '(abc)~2',
      'abc )',
      'data.n:>',
      'data.txt:>',
      '>',
      '> abc',
      '>abc',
      '>=1 2',
      'abc AND(x)',
      'NOT(abc)',
      'NOTabc',
      'abc&&x',
      '&&abc',
      'abc ||x',
      'data.t:[1 TO',
      '(abc',
      'abc)',
      'AND',
      'a:b:c',
      '"abc',
      'data.n:',
      '+',
      '/abc',
      'NOT',
      'a OR',
      '\\',
    );
  const glue = () => dice.pick(' AND ', ' OR ', ' ', ' AND NOT ', ' -', ' +', ' || ', ' && ', ' NOT ', ' OR NOT ');
  return dice.some(0, 2, () => `${term()}${glue()}`).join('') + term();
};

/** Options of `simple_query_string`. */
export const simpleQueryString = (dice: Dice): object => {
  const term = () =>
    dice.pick(
      'abc',
      'lora',
      '-abd',
      '"y z"',
      'a*',
      '(x | lora)',
      '-(abc lora)',
      'nothing',
      '+abc',
      '(abc',
      '"x',
      'x)',
      '-',
      '|',
      '\\+',
      '1',
    );
  return {
    query: dice.some(1, 3, () => `${term()}${dice.pick(' ', ' + ', ' | ')}`).join(''),
    ...dice.maybe(0.85, () => ({
      fields: dice.list(dice.pick(['data.txt', 'metadata.provider'], ['data.txt'], ['data.n', 'data.txt'])),
    })),
    ...dice.maybe(0.3, () => ({ default_operator: dice.pick('and', 'OR') })),
    ...dice.maybe(0.1, () => ({ flags: dice.pick('ALL', 'NONE', 'OR|AND', 'PREFIX', 'PHRASE|NOT') })),
    ...dice.maybe(0.1, () => ({ minimum_should_match: dice.pick<unknown>(1, '50%', 2) })),
    ...dice.maybe(0.3, () => ({ lenient: true })),
  };
};
