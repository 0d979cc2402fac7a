import type { Manifest } from './render.ts';

interface Model {
  validate(): void;
}
type ModelClass = new (data: unknown) => Model;

/** Throws if an object is not valid by the schemas of Kubernetes or of the Prometheus Operator; unknown kinds too. */
export async function validateManifest(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  const root = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  const models = (await import(`${root}/${apiVersion}`)) as Readonly<Record<string, ModelClass>>;
  const model = models[kind];
  if (model === undefined) throw new Error(`Expected a schema of ${apiVersion} ${kind}.`);
  new model(manifest).validate();
}
