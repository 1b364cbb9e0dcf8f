import { ApiError } from '../errors.js';

/** Checks whether a connection's token still counts, one check at a time. */
export class AccessCheck {
  private isUnderWay = false;

  /**
   * @param authenticate finds who sends. @throws unauthenticated
   * @param onRevoked takes the error where the token counts no more
   */
  constructor(
    private readonly authenticate: (authorization: string | undefined) => Promise<unknown>,
    private readonly onRevoked: (error: ApiError) => void,
  ) {}

  /** Begins a check unless one is under way. An outage of the database ends no connection. */
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
