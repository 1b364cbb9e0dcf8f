import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadProduct } from '#auth/access.js';
import { isAllowed, policies } from '#auth/policies.js';
import { forbidden, invalid } from '#common/errors.js';
import { DecodedFrame } from '#entities/decoded-frame.js';
import { isId } from '#entities/id.js';
import { Job } from '#entities/job.js';
import type { Product } from '#entities/product.js';
import { unusedMappings } from '#entities/variables.js';
import type { Jobs } from '#jobs/jobs.js';
import type { ProductArgs } from '#listing/identifier.args.js';
import { decode } from '#records/decode/decode.js';
import { isPayloadEncoding, readPayload } from '#records/decode/payload.js';
import type { Context } from '#schema/context.js';
import { DecodeFrameArgs, RecomputeArgs, RedecodeArgs } from './decode.args.js';

/** Resolves the decoding of frames, and decoding them again after a product's variables have changed. */
@Resolver()
export class DecodeResolver {
  constructor(private readonly jobs: Jobs) {}

  @Query(() => DecodedFrame, { description: 'Explains how a frame is decoded, without storing it.' })
  async decodeFrame(@Args(() => DecodeFrameArgs) args: DecodeFrameArgs, @Ctx() ctx: Context): Promise<DecodedFrame> {
    const { streamId, streamType } = args;
    const bytes = bytesOf(args);
    const product = await loadOwned(ctx, args);
    const { data, report, steps } = decode({ streamId, streamType, bytes }, product.variables);
    return {
      streamType,
      status: report.status,
      data,
      parts: steps.map(({ start, end, ...part }) => ({ ...part, bytes: bytes.toString('hex', start, end) })),
      unusedMappings: unusedMappings(product.variables),
    };
  }

  @Mutation(() => Job, {
    description: "Decodes the organization's stored frames again with the product's present variables, in a job.",
  })
  redecodeProduct(@Args(() => RedecodeArgs) args: RedecodeArgs, @Ctx() ctx: Context): Promise<Job> {
    return this.ask(ctx, 'redecode', args);
  }

  @Mutation(() => Job, {
    description:
      "Computes the derived variables of the organization's stored records again with the product's present formulas, in a job that also decodes their frames again.",
  })
  recomputeProduct(@Args(() => RecomputeArgs) args: RecomputeArgs, @Ctx() ctx: Context): Promise<Job> {
    return this.ask(ctx, 'recompute', args);
  }

  private async ask(ctx: Context, kind: 'redecode' | 'recompute', args: RedecodeArgs | RecomputeArgs): Promise<Job> {
    const product = await loadOwned(ctx, args);
    const { from = null, to = null, dryRun } = args;
    const deviceIds = 'deviceIds' in args ? args.deviceIds?.filter(isId) : undefined;
    const range = { from, to, dryRun: dryRun === true, ...(deviceIds && { deviceIds }) };
    const event = ctx.audit.event(targetOf('Product', product), { range: [null, range] });
    return this.jobs.ask(ctx.caller.organizationId, kind, { productId: product.id, ...range }, event);
  }
}

/**
 * Loads a product that the caller can read. The caller must be an owner of its own organization, which need not own the
 * product.
 */
const loadOwned = async (ctx: Context, args: ProductArgs): Promise<Product> => {
  const product = await loadProduct(ctx, args, policies.product.read);
  if (!isAllowed(ctx.caller, policies.product.decode)) throw forbidden('Only owners of an organization may decode.');
  return product;
};

const bytesOf = ({ payload, encoding }: DecodeFrameArgs): Buffer => {
  const name = encoding ?? 'hex';
  const bytes = isPayloadEncoding(name) ? readPayload(payload, name) : undefined;
  if (!bytes) throw invalid([{ path: 'payload', message: `The payload is not ${name}.` }]);
  return bytes;
};
