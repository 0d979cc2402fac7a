'use strict';
// A third-party mapper: every column of every row is converted and tracked.
class Entity {
  #changes = new Map();
  constructor(columns, values) {
    for (const { name, convert } of columns) {
      let value = convert(values[name]);
      Object.defineProperty(this, name, {
        enumerable: true,
        get: () => value,
        set: (next) => {
          this.#changes.set(name, value);
          value = next;
        },
      });
    }
  }
}

module.exports.column = (name, convert) => ({ name, convert });
module.exports.entity = (name, columns) => ({ [name]: class extends Entity {} })[name].bind(null, columns);
module.exports.Repository = class Repository {
  constructor(Model, query) {
    this.Model = Model;
    this.query = query;
  }
  findAll() {
    return this.query().map((values) => new this.Model(values));
  }
};
