import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('src', { recursive: true });
for (let index = 0; index < 200; index++) {
  const base = index === 0 ? '' : `import { Model${index - 1} } from './model${index - 1}.js';\n`;
  writeFileSync(
    `src/model${index}.ts`,
    `${base}export interface Model${index} { id: number; name: string; ${index > 0 ? `parent: Model${index - 1};` : ''} tags: readonly string[] }
type Keys${index} = { [K in keyof Model${index} as \`get\${Capitalize<string & K>}\`]: () => Model${index}[K] };
export class Store${index}<T extends Model${index}> {
  private readonly items = new Map<number, T>();
  add(item: T): this { this.items.set(item.id, item); return this; }
  select<K extends keyof T>(...keys: K[]): Pick<T, K>[] {
    return [...this.items.values()].map((item) => Object.fromEntries(keys.map((key) => [key, item[key]])) as Pick<T, K>);
  }
}
export const keys${index} = (model: Model${index}): Keys${index} => ({}) as Keys${index};
${index === 100 ? 'export const wrong: number = "text";\n' : ''}`,
  );
}
