package state

import "fmt"

// pruneIfDue gives up what is no longer kept, the oldest first. When it does
// is free: that closed trajectories are gone is a matter of stream time.
func (p *Partition) pruneIfDue() error {
	every := p.options.pace.prune
	if p.fold.orders < p.prune {
		return nil
	}
	p.prune = p.fold.orders + every
	var dead [][]byte
	err := p.eachClosed(p.oldest, func(number int64, id string, k *kept) (bool, error) {
		if k != nil && !p.fold.forgotten(k) {
			return false, nil
		}
		dead = append(dead, keyNumber(p.number, 'i', number))
		if k != nil {
			dead = append(dead, keyID(p.number, 'c', id))
		}
		p.oldest = number + 1 // seeking there does not pass over all that was ever deleted
		return int64(len(dead)) < 8*every, nil
	})
	if err != nil {
		return fmt.Errorf("state: prune partition %d: %w", p.number, err)
	}
	return p.store.remove(dead)
}
