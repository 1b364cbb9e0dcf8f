import { type PlainJson, toPlain } from '#json/json.js';
import { badAggregation, illegalArgument, parsing } from '../search-failure.js';
import type { Entry, Input } from '../syntax/input.js';
import { lookUp } from '../syntax/look-up.js';
import { kindOf } from '../syntax/value.js';
import type { Aggregation, BucketNode, MetricAggregation } from './aggregation.js';
import type { ParseAggregation } from './aggregation-node.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import { bucketParsers, leafParsers } from './registry.js';

type Parsed = BucketNode | MetricAggregation | PipelineAggregation;

const parsers: Readonly<Record<string, ParseAggregation<Parsed>>> = { ...bucketParsers, ...leafParsers };

const isBucketNode = (parsed: Parsed): parsed is BucketNode => Object.hasOwn(bucketParsers, parsed.kind);

const maxAggregations = 200;
const maxDepth = 10;

/** Parses named aggregations and their sub-aggregations. */
export const parseAggregations = (input: Input): Aggregation[] => {
  let count = 0;
  const readAll = (at: Input, depth: number): Aggregation[] => {
    if (!at.isObject) throw parsing(`[${at.key}] must be an object, but was ${kindOf(at)}`, at);
    if (depth > maxDepth) throw illegalArgument(`Aggregations may nest at most [${maxDepth}] deep`, at);
    return at.members().map((entry) => {
      count += 1;
      if (count > maxAggregations)
        throw illegalArgument(`At most [${maxAggregations}] aggregations are allowed`, entry.place);
      return read(entry, depth);
    });
  };
  const read = ({ key: name, place, input: at }: Entry, depth: number): Aggregation => {
    if (name === '' || /[[\]>]/.test(name)) {
      throw parsing(
        `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
        place,
      );
    }
    if (!at.isObject)
      throw parsing(
        `Aggregation definition for [${name}] starts with a [${kindOf(at)}], expected a [START_OBJECT].`,
        at,
      );
    return node(name, at, (inner) => readAll(inner, depth + 1));
  };
  return readAll(input, 1);
};

/**
 * Parses one aggregation. Its keys are read in the order in which they came, so that the first of several errors is
 * reported.
 */
const node = (name: string, at: Input, readInner: (inner: Input) => Aggregation[]): Aggregation => {
  let own: { readonly type: string; readonly parsed: Parsed } | undefined;
  let children: Aggregation[] | undefined;
  let meta: PlainJson | undefined;
  for (const entry of at.members()) {
    if (entry.key === 'aggs' || entry.key === 'aggregations') {
      if (children !== undefined) throw parsing(`Found two sub aggregation definitions under [${name}]`, entry.place);
      children = readInner(entry.input);
    } else if (entry.key === 'meta') {
      requireObject(name, entry);
      meta = toPlain(entry.input.node);
    } else if (own !== undefined) {
      throw parsing(
        `Found two aggregation type definitions in [${name}]: [${own.type}] and [${entry.key}]`,
        entry.input,
      );
    } else {
      requireObject(name, entry);
      const parse = lookUp(parsers, entry, `Unknown aggregation type [${entry.key}]`);
      own = { type: entry.key, parsed: parse(entry.input, { name }) };
    }
  }
  if (own === undefined) throw parsing(`Missing definition for aggregation [${name}]`, at.end);
  const parsed = { ...own.parsed, ...(meta !== undefined && { meta }) };
  if (isBucketNode(parsed)) return { ...parsed, children: children ?? [] };
  if (children !== undefined)
    throw badAggregation(`Aggregator [${name}] of type [${own.type}] cannot accept sub-aggregations`, at);
  return parsed;
};

const requireObject = (name: string, { key, input }: Entry): void => {
  if (input.isObject) return;
  throw parsing(`Expected [START_OBJECT] under [${key}], but got a [${kindOf(input)}] in [${name}]`, input);
};
