import { ApiError } from '#common/errors.js';

/** Checks whether a connection's token is still valid, one check at a time. */
export class AccessCheck {
  private isUnderWay = false;

  /**
   * @param authenticate resolves the sender, or rejects with an ApiError 401
   * @param onRevoked called with that error when the token is no longer valid
   */
  constructor(
    private readonly authenticate: (authorization: string | undefined) => Promise<unknown>,
    private readonly onRevoked: (error: ApiError) => void,
  ) {}

  /** Begins a check unless one is in progress. An outage of the database ends no connection. */
  begin(authorization: string | undefined): void {
    if (this.isUnderWay) return;
    this.isUnderWay = true;
    this.authenticate(authorization)
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') this.onRevoked(error);
      })
      .finally(() => {
        this.isUnderWay = false;
      });
  }
}
