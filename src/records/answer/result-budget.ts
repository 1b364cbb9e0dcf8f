import { dataTooLarge, illegalArgument } from '#search/search-failure.js';

const mebibyte = 1024 * 1024;
/**
 * Maximum number of bytes that results may hold at once: of one call, of all calls of an organization, and of all
 * calls.
 */
const limits = { call: 64 * mebibyte, organization: 128 * mebibyte, process: 256 * mebibyte };

/** Bytes held by the results of one call. */
export interface CallBudget {
  /**
   * Counts more bytes.
   * @throws SearchFailure if a limit is exceeded
   */
  weigh(bytes: number): void;
  /** Releases all counted bytes. */
  release(): void;
}

/** Counts the bytes that results of searches hold in memory, so that no call starves others. */
export class ResultBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /** Opens the budget of a call. */
  open(organizationId: string): CallBudget {
    let own = 0;
    return {
      weigh: (bytes) => {
        if (own + bytes > limits.call) throw callTooLarge();
        this.add(organizationId, bytes);
        own += bytes;
      },
      release: () => {
        this.add(organizationId, -own);
        own = 0;
      },
    };
  }

  private add(organizationId: string, bytes: number): void {
    const [all, theirs] = [this.held + bytes, (this.heldBy.get(organizationId) ?? 0) + bytes];
    if (bytes > 0 && theirs > limits.organization) throw dataTooLarge('organization', theirs, limits.organization);
    if (bytes > 0 && all > limits.process) throw dataTooLarge('process', all, limits.process);
    this.held = all;
    if (theirs === 0) this.heldBy.delete(organizationId);
    else this.heldBy.set(organizationId, theirs);
  }
}

const callTooLarge = () =>
  illegalArgument(
    `The answers of one call may hold at most [${limits.call}] bytes. Ask for fewer hits or buckets at once, or for less of each (includes).`,
  );
