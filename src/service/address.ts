/** Where the service is reached over HTTP: PUBLIC_URL, else where it listens, which is known once it does. */
export class Address {
  private known: string | undefined;

  constructor(publicUrl: string | undefined) {
    this.known = publicUrl;
  }

  /** @throws Error before the service listens, where no PUBLIC_URL is set */
  get url(): string {
    if (this.known !== undefined) return this.known;
    throw new Error('The service does not listen yet');
  }

  /** Where messages of ONE are taken. */
  get messages(): string {
    return `${this.url.replace(/\/+$/, '')}/a2a/messages`;
  }

  /** Told once the service listens. */
  listening(url: string): void {
    this.known ??= url;
  }
}
