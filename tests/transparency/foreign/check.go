// Checks a log in files with Go's own packages for transparency logs: check KEY FOLDER.
//
// The folder has two checkpoints, `old` and `new`, the tiles of the new tree below `tile`, and `leaves`: the hash of a
// leaf in hexadecimal on each line, in the order of their indexes.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type folder string

func (f folder) Height() int { return 8 }

func (f folder) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, tile := range tiles {
		// C2SP always has height 8, and leaves it out of the path.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(string(f), path))
		if err != nil {
			return nil, err
		}
		found[i] = data
	}
	return found, nil
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func (f folder) checkpoint(name string, verifier note.Verifier) tlog.Tree {
	data, err := os.ReadFile(filepath.Join(string(f), name))
	must(err)
	opened, err := note.Open(data, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		log.Fatalf("%s is no checkpoint of %s", name, verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	tree := tlog.Tree{N: size}
	if copy(tree.Hash[:], root) != tlog.HashSize || len(root) != tlog.HashSize {
		log.Fatalf("the root in %s has %d bytes", name, len(root))
	}
	return tree
}

func main() {
	verifier, err := note.NewVerifier(os.Args[1])
	must(err)
	files := folder(os.Args[2])
	older, newer := files.checkpoint("old", verifier), files.checkpoint("new", verifier)
	reader := tlog.TileHashReader(newer, files)
	continued, err := tlog.ProveTree(newer.N, older.N, reader)
	must(err)
	must(tlog.CheckTree(continued, newer.N, newer.Hash, older.N, older.Hash))
	data, err := os.ReadFile(filepath.Join(string(files), "leaves"))
	must(err)
	leaves := strings.Fields(string(data))
	if int64(len(leaves)) != newer.N {
		log.Fatalf("there are %d leaves, and the tree has %d", len(leaves), newer.N)
	}
	checked := 0
	// In a large tree about a thousand leaves are checked: each check reads tiles again.
	for index := 0; index < len(leaves); index += 1 + len(leaves)/1000 {
		var leaf tlog.Hash
		if n, err := hex.Decode(leaf[:], []byte(leaves[index])); err != nil || n != tlog.HashSize {
			log.Fatalf("line %d has no hash", index+1)
		}
		proof, err := tlog.ProveRecord(newer.N, int64(index), reader)
		must(err)
		must(tlog.CheckRecord(proof, newer.N, newer.Hash, int64(index), leaf))
		checked++
	}
	fmt.Printf("the log has %d leaves, of which %d were checked, and continues its first %d\n", newer.N, checked, older.N)
}
