package state

import "fmt"

// pruneEvery is the number of closings after which the disk is looked at for
// closed trajectories that are no longer kept. When it is, is free: that they
// are gone is a matter of stream time.
const pruneEvery = 1024

// pruneIfDue gives up what is no longer kept, the oldest first.
func (p *Partition) pruneIfDue() error {
	if p.fold.orders < p.prune {
		return nil
	}
	p.prune = p.fold.orders + pruneEvery
	var dead [][]byte
	prefix := key(p.number, 'i')
	err := p.store.each(prefix, prefix, func(at, id []byte) (bool, error) {
		k, err := p.recall(string(id))
		if err != nil || k != nil && k.order == numberOf(at) && !p.fold.forgotten(k) {
			return false, err
		}
		dead = append(dead, append([]byte(nil), at...))
		if k != nil && k.order == numberOf(at) { // else the id was used again and closed later
			dead = append(dead, keyID(p.number, 'c', string(id)))
		}
		return len(dead) < 8*pruneEvery, nil
	})
	if err != nil {
		return fmt.Errorf("state: prune partition %d: %w", p.number, err)
	}
	return p.store.remove(dead)
}
