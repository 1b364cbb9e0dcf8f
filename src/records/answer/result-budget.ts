import { dataTooLarge, illegalArgument } from '../../search/failure.js';

const mebibyte = 1024 * 1024;
/** How much the results of one call, of all calls of an organization and of all calls may hold at once, in bytes. */
const limits = { call: 64 * mebibyte, organization: 128 * mebibyte, process: 256 * mebibyte };

/** What the results of one call hold. */
export interface CallBudget {
  /** Counts more bytes. @throws SearchFailure where that is too much. */
  weigh(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}

/** Counts the bytes that results of searches hold in memory, so that no call takes what others need. */
export class ResultBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /** Begins a call. */
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
