import { toPlain } from '../../json.js';
import { badAggregation, illegalArgument, parsing } from '../failure.js';
import type { Entry, Input } from '../syntax/input.js';
import { lookUp } from '../syntax/registry.js';
import { kindOf } from '../syntax/value.js';
import type { Aggregation, BucketNode, MetricAggregation } from './aggregation.js';
import type { ParseAggregation } from './frame.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import { bucketParsers, leafParsers } from './registry.js';

type Parsed = BucketNode | MetricAggregation | PipelineAggregation;

const parsers: Readonly<Record<string, ParseAggregation<Parsed>>> = { ...bucketParsers, ...leafParsers };

const isBucketNode = (parsed: Parsed): parsed is BucketNode => Object.hasOwn(bucketParsers, parsed.kind);

const maxAggregations = 200;
const maxDepth = 10;

/** Reads named aggregations, those inside them included. */
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
    const { type, inner, meta } = parts(name, at);
    const children = inner === undefined ? [] : readAll(inner, depth + 1);
    const parse = lookUp(parsers, type, `Unknown aggregation type [${type.key}]`);
    const aggregation = parse(type.input, { name, ...(meta && { meta: toPlain(meta.node) }) });
    if (isBucketNode(aggregation)) return { ...aggregation, children };
    if (inner !== undefined)
      throw badAggregation(`Aggregator [${name}] of type [${type.key}] cannot accept sub-aggregations`, at);
    return aggregation;
  };
  return readAll(input, 1);
};

const parts = (name: string, at: Input): { type: Entry; inner?: Input; meta?: Input } => {
  let type: Entry | undefined;
  let inner: Input | undefined;
  let meta: Input | undefined;
  for (const entry of at.members()) {
    if (entry.key === 'aggs' || entry.key === 'aggregations') {
      if (inner !== undefined) throw parsing(`Found two sub aggregation definitions under [${name}]`, entry.place);
      inner = entry.input;
    } else if (entry.key === 'meta') {
      if (!entry.input.isObject)
        throw parsing(
          `Expected [START_OBJECT] under [meta], but got a [${kindOf(entry.input)}] in [${name}]`,
          entry.input,
        );
      meta = entry.input;
    } else if (type !== undefined) {
      throw parsing(
        `Found two aggregation type definitions in [${name}]: [${type.key}] and [${entry.key}]`,
        entry.input,
      );
    } else if (!entry.input.isObject) {
      throw parsing(
        `Expected [START_OBJECT] under [${entry.key}], but got a [${kindOf(entry.input)}] in [${name}]`,
        entry.input,
      );
    } else type = entry;
  }
  if (type === undefined) throw parsing(`Missing definition for aggregation [${name}]`, at.end);
  return { type, ...(inner && { inner }), ...(meta && { meta }) };
};
