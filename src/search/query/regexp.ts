import { illegalArgument } from '../failure.js';
import { text } from '../syntax/value.js';
import { operatorsOf, parseRegexp } from './lucene/regexp.js';
import { patternClause } from './option/pattern.js';

const maxRegexp = 1000;

export const regexp = patternClause('regexp', (value, caseInsensitive, at, flags) => {
  if (value.length > maxRegexp) {
    throw illegalArgument(
      `The length of regex [${value.length}] used in the Regexp Query request has exceeded the allowed maximum of [${maxRegexp}].`,
      at,
    );
  }
  const given = flags && !flags.isNull ? text(flags) : undefined;
  const operators = given === undefined ? undefined : operatorsOf(given, flags!);
  if (value === '' && caseInsensitive) return { kind: 'wildcard', parts: [] };
  const expression = parseRegexp(value, at, operators);
  return { kind: 'regexp', text: value, ...(given !== undefined && { flags: given }), expression };
});
