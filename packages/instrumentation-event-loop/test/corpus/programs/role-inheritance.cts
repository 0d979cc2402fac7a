/**
 * The permissions of a user are resolved through inherited roles without remembering what is known, from TypeScript.
 * @culprit resolve
 * @cause javascript gc native
 * @parent authorize
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

interface Role {
  readonly permissions: readonly string[];
  readonly inherits: readonly string[];
}

class AccessControl {
  readonly #roles = new Map<string, Role>();

  add(name: string, role: Role): void {
    this.#roles.set(name, role);
  }

  // <culprit>
  resolve(name: string): Set<string> {
    const role = this.#roles.get(name);
    const permissions = new Set<string>(role?.permissions ?? []);
    for (const parent of role?.inherits ?? []) {
      for (const permission of this.resolve(parent)) permissions.add(permission);
    }
    return permissions;
  }
  // </culprit>
}

const access = new AccessControl();
const depth = 16;
for (let level = 0; level < depth; level += 1) {
  const inherits = level === 0 ? [] : [`role-${level - 1}`, `role-${level - 1}`];
  access.add(`role-${level}`, { permissions: [`read:${level}`, `write:${level}`], inherits });
}

trace.getTracer('access').startActiveSpan('authorize', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) access.resolve(`role-${depth - 1}`);
    truth.end();
    span.end();
  }, 300);
});
