import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { eventually } from '../eventually.ts';

/** What the webhook of deploy/alertmanager/examples/webhook.yml gets. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly title: string;
  readonly text: string;
  readonly alert: string;
  readonly service: string;
}

/** Receives what Alertmanager sends, and keeps it. */
export class Webhook {
  readonly notifications: Notification[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.notifications.push(JSON.parse(body) as Notification);
        response.end();
      });
    });
  }

  static async start(): Promise<Webhook> {
    const webhook = new Webhook();
    await new Promise<void>((resolve) => webhook.#server.listen(0, '127.0.0.1', resolve));
    return webhook;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Writes the example into a directory, with the address of this webhook and shorter intervals; returns its path. */
  writeConfiguration(directory: string): string {
    const inCheckout = (file: string): string => path.join(rootDirectory, 'deploy/alertmanager', file);
    const urlFile = path.join(directory, 'webhook-url');
    writeFileSync(urlFile, `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`);
    copyFileSync(inCheckout('loopwatch.tmpl'), path.join(directory, 'loopwatch.tmpl'));
    const text = readFileSync(inCheckout('examples/webhook.yml'), 'utf8')
      .replace('/etc/alertmanager/secrets/webhook-url', urlFile)
      .replaceAll(/group_(wait|interval): \w+/g, 'group_$1: 1s');
    const file = path.join(directory, 'alertmanager.yml');
    writeFileSync(file, text);
    return file;
  }

  received(alert: string, service: string): Notification[] {
    return this.notifications.filter((each) => each.alert === alert && each.service === service);
  }

  /** Waits for a notification; `from` is the number of those that were received before and do not count. */
  next(
    alert: string,
    service: string,
    status: Notification['status'],
    withinMs: number,
    from = 0,
  ): Promise<Notification> {
    const matches = (each: Notification): boolean =>
      each.alert === alert && each.service === service && each.status === status;
    return eventually(
      `the notification of ${alert} of ${service || 'no service'}, ${status}`,
      () => Promise.resolve(this.notifications.slice(from).find(matches)),
      (found) => found !== undefined,
      { withinMs, everyMs: 500 },
    );
  }
}
